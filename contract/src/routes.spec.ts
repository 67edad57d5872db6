import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from './routes.ts'

const rows = [
  ['getMarketCalendar', ['start', 'end']],
  ['corporateActions', ['start', 'end']],
  ['listAnnouncements', ['since', 'until']],
  ['getPortfolioHistory', ['date_start', 'date_end']],
  ['stockBars', ['asof']],
  ['createMarketEvent', ['on']],
  ['createCorporateAction', ['ex_date', 'record_date', 'payable_date']],
  // `from` of another part of the body is an instant.
  ['createWorld', ['on', 'fees.from']],
  // An instant, whose day in New York the server takes.
  ['listActivities', []],
  // A day in UTC.
  ['eraseAddresses', []],
] as const

for (const [name, days] of rows)
  test(`${name}: days in New York are ${days.join(', ') || 'none'}`, () =>
    assert.deepEqual(new Set(routes[name].days), new Set(days)))
