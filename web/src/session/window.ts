import { type ReadonlySignal, signal } from '@preact/signals'

/** Whether a media query is true now. */
function matching(query: string): ReadonlySignal<boolean> {
  const list = matchMedia(query)
  const is = signal(list.matches)
  list.addEventListener('change', () => {
    is.value = list.matches
  })
  return is
}

/** A phone, or a window at 200 % zoom: one column. The styles use the same width. */
export const isPhone = matching('(max-width: 52rem)')
/** Too narrow for more than a few numbers beside each other: a phone that is held upright. */
export const isSlim = matching('(max-width: 30rem)')
/** Too narrow for chart, watchlist and ticket side by side. */
export const isNarrow = matching('(max-width: 71.99rem)')
/** Wide enough for a list beside what it shows. */
export const isBeside = matching('(min-width: 80.01rem)')
/** Fingers need larger rows. */
export const isTouch = matching('(pointer: coarse)')

const readRem = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
/** The font size of the page. Reading it computes all pending styles, so tables do not read it in each draw. */
export const remPx = signal(readRem())
addEventListener('resize', () => {
  remPx.value = readRem()
})

/** A new build has other file names, so the page is loaded again; but not while there is no server to load it from. */
export function loadAgain(): void {
  fetch(document.baseURI, { method: 'HEAD' }).then(
    () => location.reload(),
    () => undefined,
  )
}
