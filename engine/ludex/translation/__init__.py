"""What a game says in another language: files of translations, and how texts are looked up in them.

A translation changes what is shown and nothing that is played: names in rules, typed commands,
saves and logs of programs stay as the definition has them. `vocabulary` finds what there is to
translate, `read` reads and checks a file, `wording` looks texts up, `tree` puts them into a
definition, `words` has the program's own words, `report` the sentences of its log.

May import: the base and `syntax`.
"""
