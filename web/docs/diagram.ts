import { escaped } from './html.ts'

type Arrow = { readonly from: string; readonly to: string; readonly label: string }

/**
 * A Mermaid diagram of arrows as a list: each node with the nodes that it leads to, then the final ones. A list is readable on a phone, in print
 * and by a screen reader, and it needs no library.
 */
export function diagram(text: string): string {
  const names = new Map([...text.matchAll(/(\w+)\["([^"]+)"\]/g)].map(([, id, name]) => [id!, name!]))
  const arrows = [
    ...text.matchAll(/^ *(\w+|\[\*\])(?:\["[^"]*"\])? --> (\w+|\[\*\])(?:\["[^"]*"\])?(?:: (.*))?$/gm),
  ]
  const nameOf = (id: string, edge: string): string => (id === '[*]' ? edge : (names.get(id) ?? id))
  const groups = Map.groupBy(
    arrows.map(([, from, to, label = '']) => ({
      from: nameOf(from!, 'start'),
      to: nameOf(to!, 'end'),
      label,
    })),
    ({ from }) => from,
  )
  const isFinal = (all: readonly Arrow[]): boolean => all.every(({ to }) => to === 'end')
  const rows = [...groups]
    .filter(([, all]) => !isFinal(all))
    .map(([from, all]) => `<dt>${escaped(from)}</dt><dd>${targets(all)}</dd>`)
  const final = [...groups].filter(([, all]) => isFinal(all)).map(([name]) => `<li>${escaped(name)}</li>`)
  if (final.length > 0) rows.push(`<dt class="final">final</dt><dd><ul>${final.join('')}</ul></dd>`)
  return `<dl class="arrows">\n${rows.join('\n')}\n</dl>\n`
}

const targets = (arrows: readonly Arrow[]): string =>
  `<ul>${arrows.map(({ to, label }) => `<li>${labelHtml(label)}<b>${escaped(to)}</b></li>`).join('')}</ul>`

const labelHtml = (label: string): string => (label === '' ? '' : `<span>${escaped(label)}</span> `)
