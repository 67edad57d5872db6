import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

/** The name of the element with focus, and what a person who uses the keyboard would not see of it. */
type Stop = { readonly name: string; readonly problem: string | undefined }

/** A field without a ring of its own has the ring of its frame. */
export const stopNow = (page: Page): Promise<Stop> =>
  page.evaluate(`(() => {
    const one = document.activeElement
    if (!one || one === document.body) return { name: '', problem: 'no element has the focus' }
    const label = one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.textContent
    const name = (one.getAttribute('role') ?? one.localName) + ' ' + label.trim().replace(/\\s+/g, ' ').slice(0, 60)
    const box = one.getBoundingClientRect()
    const left = Math.max(box.left, 0), right = Math.min(box.right, innerWidth)
    const top = Math.max(box.top, 0), bottom = Math.min(box.bottom, innerHeight)
    if (left >= right || top >= bottom) return { name, problem: 'outside of the window' }
    const style = getComputedStyle(one)
    if (style.visibility !== 'visible' || style.opacity === '0') return { name, problem: 'not visible' }
    const onTop = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
    const isOnTop = one.contains(onTop) || [...(one.labels ?? [])].some((text) => text.contains(onTop))
    if (!isOnTop) return { name, problem: 'covered by ' + onTop?.outerHTML.slice(0, 100) }
    const hasRing = (framed) => {
      const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(framed)
      return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && !/, 0\\)|transparent/.test(outlineColor)
    }
    const frame = one.matches('input, select, textarea') ? one.parentElement : one
    return { name, problem: hasRing(one) || hasRing(frame) ? undefined : 'no focus ring' }
  })()`)

/** The name of the element with focus, which must be visible and have a ring. */
export async function visibleStop(page: Page): Promise<string> {
  const { name, problem } = await stopNow(page)
  assert.equal(problem, undefined, `${name}: ${problem} at ${page.url()}`)
  return name
}
