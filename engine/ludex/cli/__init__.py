"""The command line: one file per command, all of them thin over `pipeline`, `game`, `sim`.

`main` holds the group and the table of commands; a command's module is imported only when
it runs, so that `ludex --help` and completion are quick. May import everything.
"""
