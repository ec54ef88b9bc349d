"""For archivists: texts of rulebooks, their index, and what a definition cites of them.

A definition never holds the text of a rulebook. It holds an index: headings, and for each
sentence under them a fingerprint, by which the sentence is found again in the file that
whoever has the rulebook keeps beside it. `text` cuts a file into headings and sentences,
`index` makes and reads the index, `definition` finds the citations of a definition,
`passages` looks them up in a file, `coverage` says which sentences are cited by what.

May import: the base and `syntax`.
"""
