/** Creates an element with properties and children. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> & {
    readonly attrs?: Readonly<Record<string, string>>
  } = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const { attrs = {}, ...rest } = properties
  const made = Object.assign(document.createElement(name), rest)
  for (const [key, value] of Object.entries(attrs)) made.setAttribute(key, value)
  made.append(...children)
  return made
}

/** The way to the root of the site. */
export const root = document.documentElement.dataset['root'] ?? ''

/** An icon of the site. */
export function icon(name: string): SVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('class', 'icon')
  svg.setAttribute('aria-hidden', 'true')
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use')
  use.setAttribute('href', `${root}docs/assets/icons.svg#${name}`)
  svg.append(use)
  return svg
}
