import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitUntil } from '../support/wait-until.ts'
import { moveTo, openStage, visit } from './stage.ts'

const { operator } = await openStage()

test('what is typed replaces a symbol that the screen chose while the field had the focus', async (t) => {
  const world = 'ticket-focus'
  await operator.createWorld({ body: { world, start: '2026-01-05T11:00:00-05:00' } })
  const page = await visit(t, `/?symbol=AAPL&world=${world}`)
  const field = page.getByRole('form', { name: 'Order ticket' }).getByRole('combobox', { name: 'Symbol' })
  const shows = (symbol: string) =>
    waitUntil(`the ticket has ${symbol}`, async () => (await field.inputValue()) === symbol)
  await shows('AAPL')
  await field.focus()
  await moveTo(page, `/?symbol=MSFT&world=${world}`)
  await shows('MSFT')
  await page.keyboard.type('KO')
  assert.equal(await field.inputValue(), 'KO')
})
