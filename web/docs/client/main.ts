import { addCopyButtons } from './copy.ts'
import { startSearch } from './search-box.ts'
import { makeTabs } from './tabs.ts'
import { changeTheme } from './theme-choice.ts'

document.querySelector('button.theme')?.addEventListener('click', changeTheme)
makeTabs()
addCopyButtons()
followContents()
showCurrentPage()
startSearch()

/** Scrolls the navigation, where it scrolls by itself, to the page that is open. */
function showCurrentPage(): void {
  const column = document.querySelector('.left')
  const current = document.querySelector('.dnav [aria-current]')
  if (column === null || current === null) return
  const { top, height } = column.getBoundingClientRect()
  const below = current.getBoundingClientRect().top - top
  if (below > height - 80) column.scrollTop = below - height / 3
}

/** Marks the section that is read now in the table of contents. */
function followContents(): void {
  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>('.toc nav a')].map((link) => [link.hash.slice(1), link]),
  )
  const headings = [...links.keys()]
    .map((id) => document.getElementById(id))
    .filter((heading) => heading !== null)
  if (headings.length === 0) return
  const mark = (): void => {
    const above = headings.filter((heading) => heading.getBoundingClientRect().top < innerHeight / 4)
    const current = (above.at(-1) ?? headings[0]!).id
    for (const [id, link] of links) {
      if (id === current) link.setAttribute('aria-current', 'true')
      else link.removeAttribute('aria-current')
    }
  }
  let isDue = false
  addEventListener(
    'scroll',
    () => {
      if (isDue) return
      isDue = true
      requestAnimationFrame(() => {
        isDue = false
        mark()
      })
    },
    { passive: true },
  )
  mark()
}
