import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Context } from '../context.ts'
import { Prebuilt } from '../prebuilt.ts'
import { calendarHandlers } from './calendar.ts'

test('the calendar without bounds is serialized once for all callers', async () => {
  const context = () => ({ state: { world: { engine: { durable: 7 } } } }) as unknown as Context
  const request = async () =>
    (await calendarHandlers.getCalendar({ query: { date_type: 'TRADING' } } as never, context())) as unknown
  const [first, second] = [await request(), await request()]
  assert.ok(first instanceof Prebuilt && second instanceof Prebuilt)
  assert.equal(first.body, second.body)
  const days = JSON.parse(String(first.body)) as { date: string }[]
  const year = { start: '2026-01-01', end: '2026-12-31', date_type: 'TRADING' }
  assert.deepEqual(
    days.filter(({ date }) => date.startsWith('2026-')),
    await calendarHandlers.getCalendar({ query: year } as never, context()),
  )
})
