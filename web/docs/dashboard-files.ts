import type { DocsTitle } from '../src/palette/built-files.ts'
import { plainText } from './html.ts'
import type { Site } from './page.ts'

/** The titles that the search of the dashboard finds: pages, and the headings of written pages. */
export function docsTitles({ sections, pages }: Site): readonly DocsTitle[] {
  return sections.flatMap(({ title: section, entries }) =>
    entries
      .flatMap(({ address, inner }) => [address, ...inner])
      .flatMap((address) => {
        const { title, label, method, headings } = pages.get(address)!
        // The name of an operation is what people type; its sentence says what it does.
        if (method !== undefined) return [{ href: address, title: label, about: title, section }]
        const inner = headings
          .filter(({ level }) => level === 2)
          .map(({ id, html }) => ({
            href: `${address}#${id}`,
            title: plainText(html),
            about: label,
            section,
          }))
        return [{ href: address, title, section }, ...inner]
      }),
  )
}
