"""The style sheet of the rulebook as HTML: for a screen, narrow or wide, and for paper."""

STYLE = """
:root { --ink: #22201c; --soft: #6d665c; --line: #d9d2c5; --paper: #fdfbf6; --tint: #f4efe4;
  --accent: #7a2e1d; }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; padding: 2.5rem 1.25rem 5rem; max-width: 46rem; color: var(--ink);
  background: var(--paper);
  font: 1.0625rem/1.5 Charter, "Bitstream Charter", "Iowan Old Style", "Palatino Linotype", Georgia, serif;
  hyphens: auto; overflow-wrap: break-word; }
h1 { font-size: 2.4rem; line-height: 1.15; margin: 0 0 .4rem; font-weight: 600; hyphens: none; }
h2 { font-size: 1.45rem; line-height: 1.25; margin: 2.6rem 0 .8rem; padding-bottom: .2rem; font-weight: 600;
  border-bottom: 1px solid var(--line); color: var(--accent); hyphens: none; }
h3 { font-size: 1.08rem; margin: 1.5rem 0 .35rem; font-weight: 600; }
h4 { font-size: .92rem; margin: .8rem 0 .15rem; font-weight: 600; color: var(--soft); }
p { margin: .2rem 0; }
a { color: var(--accent); text-decoration: none; }
a:hover, a:focus { text-decoration: underline; }
header p { color: var(--soft); }
header dl, dl.things { display: grid; grid-template-columns: minmax(7rem, 13rem) 1fr; gap: .3rem 1.1rem;
  margin: .5rem 0; }
dl.things > dt, header dt { font-weight: 600; hyphens: none; }
dl.things > dd, header dd { margin: 0; min-width: 0; }
nav ul { columns: 2; column-gap: 2rem; list-style: none; margin: .6rem 0 0; padding: 0; }
nav li { break-inside: avoid; }
code, pre { font: .78em/1.45 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
  color: #4d473e; hyphens: none; }
dd > code, .rule > code, .key { color: var(--soft); }
pre code { font-size: 1em; }
pre { margin: .35em 0 .5em; padding: .45rem .7rem; background: var(--tint); border-radius: 3px;
  white-space: pre-wrap; }
ol.rules { margin: .2rem 0; padding-left: 1.7rem; }
ol.rules > li, ul.rules > li { margin: 0 0 .55rem; }
ol.rules > li::marker { color: var(--accent); font-weight: 600; }
ul.rules { margin: .2rem 0; padding-left: 1.1rem; list-style: "\\2013\\2002"; }
.rule > .name { font-weight: 500; }
.note { color: var(--soft); font-style: italic; font-size: .95em; }
sup { font-size: .66em; line-height: 0; margin-left: .15em; font-weight: 400; hyphens: none; }
.mark { font-size: .74em; font-weight: 400; color: var(--accent); border: 1px solid currentColor;
  border-radius: 3px; padding: 0 .3em;
  margin-left: .4em; white-space: nowrap; }
.changed { border-left: 3px solid var(--accent); padding-left: .7rem; margin-left: -.85rem; }
ul.readings { list-style: none; margin: .3rem 0; padding: 0; }
ul.readings li { padding-left: 1.5rem; text-indent: -1.5rem; }
ul.readings li::before { content: "\\25CB"; display: inline-block; width: 1.5rem; text-indent: 0;
  color: var(--soft); }
ul.readings li.chosen::before { content: "\\25CF"; color: var(--accent); }
ul.readings li.chosen > .name { font-weight: 600; }
.question { font-style: italic; }
.board { overflow-x: auto; margin: .8rem 0; }
.board table { border-collapse: collapse; font-size: .86em; line-height: 1.35; }
.board caption { text-align: left; font-weight: 600; padding: 0 0 .2rem; }
.board th { font-weight: 400; color: var(--soft); text-align: left; padding: .1rem .7rem .1rem 0;
  white-space: nowrap; }
.board thead th { text-align: center; padding: .1rem .5rem; }
.board td { border: 1px solid var(--line); background: #fff; padding: .12rem .5rem; text-align: center;
  min-width: 2.1rem; height: 1.6rem; }
.board td.list { text-align: left; }
.board b { font-weight: 600; }
.back { color: #b9b0a0; }
ol.passages { font-size: .86em; line-height: 1.4; columns: 2; column-gap: 2rem; padding-left: 2.1rem; }
ol.passages li { break-inside: avoid; margin: 0 0 .15rem; }
@media (max-width: 34rem) {
  nav ul, ol.passages { columns: 1; }
  header dl, dl.things { grid-template-columns: 1fr; gap: 0; }
  dl.things > dd { margin: 0 0 .5rem; }
}
@media print {
  @page { margin: 18mm 17mm 20mm; }
  :root { --paper: #fff; --tint: #f6f4ef; }
  body { padding: 0; max-width: none; font-size: 10.2pt; line-height: 1.38; }
  h1 { font-size: 24pt; } h2 { font-size: 14.5pt; margin-top: 16pt; } h3 { font-size: 11pt;
  margin-top: 9pt; }
  h2, h3, h4 { break-after: avoid; }
  .rule, dl.things > dt, dl.things > dd, .doubt, pre, .board table { break-inside: avoid; }
  a { color: inherit; }
  p { orphans: 3; widows: 3; }
  .board { overflow: visible; }
}
"""
