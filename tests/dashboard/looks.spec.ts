import assert from 'node:assert/strict'
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
  const row = page.getByRole('row', { name: /^AAPL/ })
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
  const page = await signedIn(t, `/markets/AAPL${query}`)
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
    [`/${query}`, 'home'],
    [`/markets/AAPL${query}`, 'symbol'],
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
