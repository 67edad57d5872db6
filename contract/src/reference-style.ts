/** The looks of the reference: readable on a phone, on paper and at night. */
export const referenceStyle = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --link: #0b57d0 }
@media (prefers-color-scheme: dark) { :root { --link: #8ab4f8 } }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; background: Canvas; color: CanvasText; display: flex }
a { color: var(--link) }
nav { width: 17rem; flex: none; height: 100vh; overflow: auto; position: sticky; top: 0; padding: 1rem;
  border-right: 1px solid var(--line); font-size: .85rem }
nav h2 { font-size: .9rem; margin: 1rem 0 .25rem }
nav ul { list-style: none; margin: 0; padding: 0; overflow-wrap: anywhere }
main { flex: 1; min-width: 0; max-width: 60rem; padding: 1rem 2rem 4rem }
section { border-top: 1px solid var(--line); padding-top: .5rem; margin-top: 2rem }
h3 { margin-bottom: .25rem }
h3 a { text-decoration: none; opacity: .5 }
h4 { margin: 1rem 0 .25rem }
code, pre { font: .875em/1.45 ui-monospace, monospace }
pre { background: var(--soft); padding: .75rem; overflow: auto; border-radius: .4rem }
.route { overflow-wrap: anywhere }
.small { font-size: .875rem; overflow-wrap: anywhere }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-size: .875rem; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .25rem .5rem; border-bottom: 1px solid var(--line) }
tr:target { background: var(--soft) }
@media (max-width: 50rem) { body { display: block }
  nav { width: auto; height: auto; max-height: 40vh; border: 0; position: static } main { padding: 1rem } }
@media print { nav { display: none } }
`
