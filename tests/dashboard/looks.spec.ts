import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { saveScreenshot } from '../browser/chromium.ts'
import { casesOf, hasAllCases } from '../support/cases.ts'
import { commonDemo } from './demo.ts'
import { moveTo, openStage, signedIn, visit } from './stage.ts'

const { url } = await openStage()
const world = await commonDemo()
const query = `?world=${world}`

test('without motion nothing is animated', async (t) => {
  const page = await signedIn(t, '/', { reducedMotion: 'no-preference' })
  await page.getByText('Live', { exact: true }).waitFor()
  const running = () =>
    page.evaluate<number>(
      'document.getAnimations().filter(({ playState }) => playState === "running").length',
    )
  assert.ok((await running()) > 0)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  assert.equal(await running(), 0)
})

test('the colours of gain and loss are a choice that stays', async (t) => {
  const page = await signedIn(t, `/${query}`)
  const row = page.getByRole('region', { name: 'Positions' }).getByRole('row', { name: /AAPL/ })
  const colours = async () => {
    await row.locator('.up').first().waitFor()
    return page.evaluate<string>(
      `[...new Set([...document.querySelectorAll('td .up, td .down')].map((one) => getComputedStyle(one).color))].join()`,
    )
  }
  const found = [await colours()]
  for (const name of casesOf(['Red for gains', 'Blue and amber', 'No colours'])) {
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keys' })
    await dialog.getByLabel('Gain and loss').selectOption(name)
    await page.keyboard.press('Escape')
    // The browser hides a dialog before its close event. A key in between opens nothing.
    await dialog.waitFor({ state: 'detached' })
    found.push(await colours())
  }
  await page.reload()
  assert.equal(await colours(), found.at(-1))
  assert.equal(new Set(found).size, found.length, String(found))
  const [teal = '', east = ''] = found
  // The same two colours with the other meaning.
  assert.deepEqual(teal.match(/rgb.*?\)/g)?.sort(), east.match(/rgb.*?\)/g)?.sort())
})

test('a chart follows a system that changes to dark', { skip: !hasAllCases }, async (t) => {
  const page = await signedIn(t, `/${query}&symbol=AAPL`)
  await page.getByRole('img', { name: /^AAPL, five-minute bars/ }).waitFor()
  const light = await drawing()
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.waitForFunction((before) => {
    const { document } = globalThis as unknown as Drawn
    return document.querySelector('canvas').toDataURL() !== before
  }, light)

  function drawing(): Promise<string> {
    return page.evaluate(() => (globalThis as unknown as Drawn).document.querySelector('canvas').toDataURL())
  }
})

/** The checker of the tests knows no documents. */
type Drawn = { readonly document: { querySelector(name: string): { toDataURL(): string } } }

test('on a 4K screen the content stops at 1680 pixels and stays in the middle', async (t) => {
  const page = await visit(t, `/none${query}`, { viewport: { width: 3840, height: 2160 } })
  const screens = [
    [`/${query}`, 'workspace'],
    [`/orders${query}`, 'orders'],
    [`/worlds/${world}${query}`, 'worlds'],
    [`/activity${query}`, 'activity'],
    [`/ledger${query}`, 'ledger'],
  ] as const
  for (const [path, name] of casesOf(screens, 2)) {
    await moveTo(page, path)
    await page.locator('main .card').first().waitFor()
    const wrong = await page.evaluate(`(() => {
      const main = document.querySelector('main').getBoundingClientRect()
      return [...document.querySelectorAll('main > :not(.hidden-text)')]
        .map((one) => [one.className, one.getBoundingClientRect()])
        .filter(([, { width, left, right }]) =>
          width > 1680 || Math.abs((left + right) / 2 - (main.left + main.right) / 2) > 10)
        .map(([name, { left, right }]) => name + ' ' + left + ' to ' + right)
    })()`)
    assert.deepEqual(wrong, [], name)
    await saveScreenshot(page, `${name}-4k`)
  }
})

test('the documentation links to the screens of operators only for operators', async (t) => {
  for (const isOperator of casesOf([false, true])) {
    const page = await signedIn(t, '/keys', { isOperator })
    // The dashboard notes the rights for the documentation.
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.goto(`${url}/docs`)
    const links = page.getByRole('navigation', { name: 'Screens' }).getByRole('link')
    await links.getByText(isOperator ? 'Operator' : 'Ledger').waitFor()
    const shown = await links.allInnerTexts()
    assert.equal(shown.includes('Operator'), isOperator)
    assert.equal(shown.includes('Worlds'), isOperator)
  }
})

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
