import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Operation, operations } from '@quipu/contract'
import type { Page } from 'playwright-core'
import type { Command } from '../../web/src/palette/built-files.ts'
import { newWorld } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { openStage, visit } from './stage.ts'

const stage = await openStage()

const simulation = Object.entries<Operation>(operations).filter(([, { path }]) => path.startsWith('/sim/v1/'))
/** Operations whose input is a file: the screens Runs and Worlds have a form for it. */
const isUpload = ({ bodyKind }: Operation): boolean => bodyKind === 'bytes'
const namesOf = (rows: typeof simulation): readonly string[] => rows.map(([name]) => name)
const commands = namesOf(simulation.filter(([, operation]) => !isUpload(operation)))
const ofAccounts = namesOf(simulation.filter(([, one]) => !isUpload(one) && one.who.includes('account')))

const search = (page: Page) => page.getByRole('combobox', { name: 'Search' })

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Search and commands' })

/** The operations that the search does not find by their names. */
async function missingIn(page: Page, names: readonly string[]): Promise<readonly string[]> {
  await page.keyboard.press('Control+k')
  const missing: string[] = []
  for (const name of names) {
    await search(page).fill(name)
    const option = page.getByRole('option', { name: new RegExp(`\\b${name}$`) })
    // The first one waits for the list of commands.
    await option.waitFor({ timeout: 10_000 }).catch(() => missing.push(name))
  }
  await page.keyboard.press('Escape')
  return missing
}

/** Every tenth operation in `npm test`, all in the long run. */
const sample = (names: readonly string[]): readonly string[] =>
  hasAllCases ? names : names.filter((_, index) => index % 10 === 0)

test('every operation of the simulation that the viewer may call is found as a command', async (t) => {
  const page = await visit(t, '/orders')
  assert.deepEqual(await missingIn(page, sample(commands)), [])
})

test('without operator rights every operation of an account is found, and no other', async (t) => {
  const page = await visit(t, '/orders', { isOperator: false })
  assert.deepEqual(await missingIn(page, sample(ofAccounts)), [])
  const others = sample(commands.filter((name) => !ofAccounts.includes(name)))
  await page.keyboard.press('Control+k')
  for (const name of others) {
    await search(page).fill(name)
    // Its page of the documentation is found: the results of this name are complete.
    await page.getByRole('option', { name: new RegExp(`^${name} .*API$`) }).waitFor()
    assert.equal(await page.getByRole('option', { name: new RegExp(`\\b${name}$`) }).count(), 0)
  }
  await page.keyboard.press('Escape')
})

test('every command that deletes, or moves money or shares, asks first; one that reads never does', async () => {
  const response = await fetch(`${stage.broker.url}/docs/commands.json`)
  const built = new Map(((await response.json()) as readonly Command[]).map((one) => [one.operation, one]))
  assert.deepEqual([...built.keys()].toSorted(), commands.toSorted())
  for (const [name, { method, headers, onlyReads }] of simulation) {
    const command = built.get(name)
    if (command === undefined) continue
    const mustAsk = method === 'DELETE' || 'idempotency-key' in (headers?.fields ?? {})
    const reads = method === 'GET' || onlyReads === true
    if (mustAsk) assert.equal(command.asksFirst, true, name)
    if (reads) assert.equal(command.asksFirst, undefined, name)
  }
})

test('the sentence “next open” advances the clock, and a refused “backup” says why', async (t) => {
  const world = 'sentence-lab'
  await newWorld(stage.broker, { world, start: '2026-01-05T15:00:00Z', hours: 'nyse' })
  const page = await visit(t, `/orders?world=${world}`)
  await page.keyboard.press('Control+k')
  await search(page).fill('next open')
  await page.getByRole('option', { name: /open/i, selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await dialog(page).waitFor({ state: 'detached' })
  const { now } = await stage.operator.getWorldClock({ params: { world } })
  assert.equal(Date.parse(now), Date.parse('2026-01-06T14:30:00Z'))

  await page.keyboard.press('Control+k')
  await search(page).fill('backup')
  await page.getByRole('option', { name: /^Back up/i, selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('no backup is possible: the server keeps nothing').waitFor()
  await page.keyboard.press('Escape')
})

test('“fork before this order” on the page of an order makes a world without the order', async (t) => {
  const world = 'before-lab'
  const lab = await newWorld(stage.broker, { world, start: '2026-01-05T15:00:00Z', hours: 'nyse' })
  const place = (id: string) =>
    fetch(`${lab.url}/v2/orders`, {
      method: 'POST',
      headers: { 'APCA-API-KEY-ID': lab.keyId, 'APCA-API-SECRET-KEY': lab.secretKey },
      body: JSON.stringify({
        symbol: 'KO',
        qty: '1',
        side: 'buy',
        type: 'limit',
        limit_price: '1',
        time_in_force: 'day',
        client_order_id: id,
      }),
    }).then((response) => response.json() as Promise<{ readonly id: string }>)
  await place('kept')
  await stage.operator.advanceClock({ params: { world }, body: { by: '1m' } })
  const { id } = await place('undone')
  const page = await visit(t, `/orders/${id}?world=${world}`)
  await page.getByText('undone').first().waitFor()
  await page.keyboard.press('Control+k')
  await search(page).fill('fork before this order')
  await page.getByRole('option', { name: /^Fork/, selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.searchParams.get('world') !== world)
  const fork = new URL(page.url()).searchParams.get('world')!
  const left = await stage.operator.listWorldOrders({
    params: { world: fork },
    query: { status: 'all' } as never,
  })
  assert.deepEqual(
    left.map(({ client_order_id: name }) => name),
    ['kept'],
  )
})
