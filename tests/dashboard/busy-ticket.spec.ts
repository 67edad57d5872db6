import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQuipu } from '@quipu/sdk'
import type { Page } from 'playwright-core'
import { casesOf, hasAllCases } from '../support/cases.ts'
import { assertShortTasks } from './longest-task.ts'
import { NO_SCREEN, openStage, signedIn } from './stage.ts'

/** New and canceled orders of each message. The server sends a message every 220 ms, so both together are 900 a second. */
const ORDERS = 100
const MESSAGE_MS = 222
const SECONDS = hasAllCases ? 8 : 2

const { operator, broker, url } = await openStage()

/**
 * Adds messages to the snapshot stream of the page, so that the load needs no other program: each has new orders, and the
 * end of those of the message before.
 */
const addMessages = `{
  const real = fetch
  let first, push, previous = []
  const encoder = new TextEncoder()
  const messageAt = (number) => {
    const at = (index) => new Date(Date.parse(first.time) + number * ${MESSAGE_MS} + index).toISOString()
    const orders = Array.from({ length: ${ORDERS} }, (_, index) => {
      const [id, instant] = [crypto.randomUUID(), at(index)]
      return { ...first.orders[index % 2], id, client_order_id: id, created_at: instant, submitted_at: instant }
    })
    const ended = previous.map((order) => ({ ...order, status: 'canceled', canceled_at: at(0) }))
    previous = orders
    const account = { ...first.account, buying_power: String(100000 - number) }
    const data = {
      time: at(0), event: first.event + number, account, orders, open_orders: first.open_orders,
      orders_ended: ended.map(({ id }) => id), orders_final: ended,
    }
    return encoder.encode('event: changes\\ndata: ' + JSON.stringify(data) + '\\n\\n')
  }
  globalThis.prepare = (count) => {
    const messages = Array.from({ length: count }, (_, number) => messageAt(number))
    globalThis.play = () => {
      const timer = setInterval(() => {
        const next = messages.shift()
        if (next) push(next)
        else clearInterval(timer)
      }, ${MESSAGE_MS})
    }
  }
  globalThis.fetch = async (...call) => {
    const response = await real(...call)
    if (!/snapshot.*event-stream/.test(response.url + response.headers.get('content-type'))) return response
    const [reader, decoder] = [response.body.getReader(), new TextDecoder()]
    let text = ''
    const body = new ReadableStream({
      async start(controller) {
        push = (bytes) => controller.enqueue(bytes)
        for (;;) {
          const { done, value } = await reader.read()
          if (done) return controller.close()
          controller.enqueue(value)
          if (first?.orders.length > 1) continue
          text += decoder.decode(value, { stream: true })
          const [, data] = /^data: (.*)\\n\\n/m.exec(text) ?? []
          if (data !== undefined) first = JSON.parse(data)
        }
      },
      cancel: () => reader.cancel(),
    })
    return new Response(body, response)
  }
}`

/** Keeps the delays of keys, in milliseconds. */
const countKeys = `{
  globalThis.delays = []
  addEventListener('keydown', ({ timeStamp }) => delays.push(performance.now() - timeStamp), true)
}`

for (const count of casesOf([600, 10_000]))
  test(`keys in the ticket beside ${count} open orders, while 900 orders a second change`, async (t) => {
    const world = `ticket-${count}`
    const { accounts } = await operator.createWorld({
      body: { world, start: '2026-01-05T10:00:00-05:00', hours: 'always', cash: '500000000' },
    })
    const { key_id: keyId, secret_key: secretKey } = accounts[0]!
    const account = createQuipu({ url: broker.url, keyId, secretKey })
    const order = { side: 'buy', qty: 1, limitPrice: '1' } as const
    for (let placed = 0; placed < count; placed += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          account.orders.limit({ ...order, symbol: at % 2 ? 'AAPL' : 'KO' }),
        ),
      )
    const page = await signedIn(t, NO_SCREEN)
    await page.addInitScript(addMessages)
    // The stream is opened again when the watchlist is known.
    const isWatched = page.waitForResponse(/snapshot.*MSFT/)
    await page.goto(`${url}/?symbol=AAPL&world=${world}`)
    await isWatched
    await page.getByRole('tab', { name: /^Open orders/ }).click()
    const table = page.getByRole('region', { name: 'Open orders', exact: true })
    // This order needs all of them.
    await table.getByRole('button', { name: 'Client id' }).click()
    await table.locator(`table[aria-rowcount="${count + 1}"]`).waitFor()
    await table.getByRole('button', { name: 'Time' }).click()
    await table.getByRole('button', { name: 'Time' }).click()
    await page.evaluate(`prepare(${Math.ceil((SECONDS * 1000) / MESSAGE_MS)})`)
    await page.evaluate(countKeys)
    const field = page.getByRole('form', { name: 'Order ticket' }).getByLabel('Quantity')
    await field.fill('')
    let typed = ''
    await assertShortTasks(page, `keys beside ${count} open orders`, async () => {
      await page.evaluate('play()')
      typed = await typeFor(page, SECONDS * 1000)
    })
    assert.equal(await field.inputValue(), typed)
    await table.locator(`table[aria-rowcount="${count + ORDERS + 1}"]`).waitFor()
    if (process.env['FIGURES']) {
      const delays = (await page.evaluate<number[]>('delays')).toSorted((a, b) => a - b)
      console.error(
        `95 % of ${delays.length} keys: ${Math.round(delays[Math.floor(delays.length * 0.95)]!)} ms`,
      )
    }
  })

/** Types digits, ten a second. */
async function typeFor(page: Page, ms: number): Promise<string> {
  const endMs = performance.now() + ms
  let text = ''
  while (performance.now() < endMs) {
    const digit = String(1 + (text.length % 9))
    await page.keyboard.press(digit)
    text += digit
    await page.waitForTimeout(100)
  }
  return text
}
