import assert from 'node:assert/strict'
import { test } from 'node:test'
import { style } from './style.ts'

/** The colours of each colour scheme, by name. */
const [light, dark] = [...style.matchAll(/:root \{([^}]*)\}/g)].map(
  ([, inside]) =>
    new Map([...inside!.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map(([, name, colour]) => [name!, colour!])),
)

/** Relative luminance of a colour (WCAG). */
function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (high! + 0.05) / (low! + 0.05)
}

const text = 4.5
/** For non-text: the border of a field, the focus ring. */
const shapes = 3
const rows: readonly (readonly [string, string, number])[] = [
  ['ink', 'sheet', text],
  ['ink', 'ground', text],
  ['ink', 'tint', text],
  ['ink', 'wrong-tint', text],
  ['soft', 'sheet', text],
  ['soft', 'ground', text],
  ['soft', 'tint', text],
  ['accent', 'sheet', text],
  ['accent', 'ground', text],
  ['accent', 'tint', text],
  ['on-accent', 'accent', text],
  ['wrong', 'sheet', text],
  ['wrong', 'wrong-tint', text],
  ['edge', 'sheet', shapes],
]
for (const [scheme, colours] of [
  ['light', light],
  ['dark', dark],
] as const)
  for (const [front, back, least] of rows)
    test(`${scheme}: ${front} on ${back} is at least ${least} to 1`, () => {
      const ratio = contrast(colours?.get(front) ?? '#', colours?.get(back) ?? '#')
      assert.ok(ratio >= least, `${ratio.toFixed(2)}`)
    })

test('both schemes have the same colours', () => {
  assert.deepEqual([...(light?.keys() ?? [])], [...(dark?.keys() ?? [])])
  assert.ok((light?.size ?? 0) > 10)
})

test('every used colour belongs to the scheme, except for shadows', () => {
  const outside = style.slice(style.lastIndexOf(':root {')).replace(/:root \{[^}]*\}/, '')
  assert.deepEqual(
    [...outside.matchAll(/#[0-9a-f]{3,8}\b/g)]
      .map(([colour]) => colour)
      .filter((colour) => !colour.startsWith('#000000')),
    [],
  )
  for (const [, name] of outside.matchAll(/var\(--([\w-]+)\)/g)) assert.ok(light?.has(name!), name)
})

test('no resource is loaded, and font sizes follow the reader’s setting', () => {
  assert.doesNotMatch(style, /url\(|@import|@font-face/)
  assert.doesNotMatch(style, /font-size: [\d.]+px|font: [\d.]+px/)
})
