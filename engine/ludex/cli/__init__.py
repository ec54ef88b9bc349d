"""The command line: one file per command, all of them thin over `pipeline`, `game`, `sim`.

`main` holds the table of commands and says how every one of them ends, `group` is what click makes
of the table. A command's module is imported only when it runs, so that `ludex --help` and completion
are quick. May import everything.
"""
