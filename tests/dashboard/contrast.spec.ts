import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const file = join(import.meta.dirname, '../../web/src/styles/tokens.css')
const css = readFileSync(file, 'utf8')

type Tokens = ReadonlyMap<string, string>

/** The custom properties of the rule that begins with a selector. */
function tokensOf(selector: string): Tokens {
  const start = css.indexOf(`${selector} {`)
  assert.ok(start >= 0, `${selector} is not in tokens.css`)
  const rule = css.slice(start, css.indexOf('\n}', start))
  return new Map([...rule.matchAll(/--([\w-]+):\s*([^;]+);/g)].map(([, name, value]) => [name!, value!]))
}

const base = tokensOf(':root')
/** The colours of gain and loss that a viewer can choose. */
const choices: ReadonlyMap<string, Tokens> = new Map([
  ['default', base],
  ...['blue', 'east', 'mono'].map(
    (name) => [name, new Map([...base, ...tokensOf(`:root[data-pl="${name}"]`)])] as const,
  ),
])
const themes = ['light', 'dark'] as const

/** The hexadecimal colour of a token. */
function colourOf(name: string, theme: (typeof themes)[number], tokens: Tokens): string {
  const value = tokens.get(name) ?? ''
  const [, other] = /^var\(--([\w-]+)\)$/.exec(value) ?? []
  if (other !== undefined) return colourOf(other, theme, tokens)
  const [, light, dark] = /^light-dark\((#\w+), (#\w+)\)$/.exec(value) ?? ['', value, value]
  const colour = theme === 'light' ? light! : dark!
  assert.match(colour, /^#[0-9a-f]{6}$/, `--${name} is no opaque colour: ${value}`)
  return colour
}

/** The relative luminance of WCAG 2.2. */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

const sheets = ['ground', 'sheet', 'sunken', 'raised', 'hover']
const TEXT_MIN = 4.5
/** Borders of fields, and bars of charts. */
const SHAPE_MIN = 3

type Pair = readonly [front: string, backs: readonly string[], min: number]

const pairs: readonly Pair[] = [
  ...['ink', 'soft', 'faint', 'accent', 'up', 'down', 'sim', 'warn', 'wrong'].map(
    (front): Pair => [front, sheets, TEXT_MIN],
  ),
  ...['ink', 'soft'].map(
    (front): Pair => [
      front,
      ['press', 'tint', 'up-tint', 'down-tint', 'sim-tint', 'warn-tint', 'wrong-tint', 'code'],
      TEXT_MIN,
    ],
  ),
  ['accent', ['tint'], TEXT_MIN],
  ['up', ['up-tint'], TEXT_MIN],
  ['down', ['down-tint'], TEXT_MIN],
  ['sim', ['sim-tint'], TEXT_MIN],
  ['warn', ['warn-tint'], TEXT_MIN],
  ['wrong', ['wrong-tint'], TEXT_MIN],
  ['on-accent', ['accent', 'accent-hover'], TEXT_MIN],
  ['on-solid', ['solid', 'solid-hover'], TEXT_MIN],
  ['on-sim', ['sim-solid'], TEXT_MIN],
  ...['code-key', 'code-text', 'code-number'].map((front): Pair => [front, ['code'], TEXT_MIN]),
  ...['edge', 'focus', 'up-fill', 'down-fill'].map((front): Pair => [front, ['sheet', 'ground'], SHAPE_MIN]),
]

for (const [choice, tokens] of choices)
  test(`texts and shapes have the contrast of WCAG AA, light and dark: ${choice} colours`, () => {
    const tooLow = themes.flatMap((theme) =>
      pairs.flatMap(([front, backs, min]) =>
        backs.flatMap((back) => {
          const contrast = contrastOf(colourOf(front, theme, tokens), colourOf(back, theme, tokens))
          return contrast >= min
            ? []
            : [`${theme}: --${front} on --${back} has ${contrast.toFixed(2)}, not ${min}`]
        }),
      ),
    )
    assert.deepEqual(tooLow, [])
  })

test('the contrast is that of WCAG', () => {
  assert.equal(contrastOf('#000000', '#ffffff'), 21)
  assert.equal(contrastOf('#767676', '#ffffff').toFixed(2), '4.54')
})
