"""Simulation: many games by bots, counted; and scenarios, played by script.

May import: `bots`, `game` and what those import; not the pipeline: a `Recipe` says how a
process makes its own game.
"""
