import type { Call } from '@quipu/sdk'
import { newYorkMs } from '../../format/times.ts'
import type { Field, Values } from '../../parts/fields.tsx'

type NewWorld = NonNullable<Call<'createWorld'>['body']>

/** The settings of a new world. */
export const worldFields: readonly Field[] = [
  { name: 'world', label: 'Name', hint: 'generated' },
  { name: 'seed', label: 'Seed', hint: 'quipu' },
  { name: 'start', label: 'Clock starts at', kind: 'datetime-local', unit: 'New York' },
  { name: 'hours', label: 'Market hours', options: { nyse: 'NYSE', always: 'Always open' } },
  { name: 'accounts', label: 'Accounts', kind: 'number' },
  { name: 'cash', label: 'Cash of each account', kind: 'number', unit: 'USD' },
  {
    name: 'fill_size',
    label: 'One quote fills',
    options: { displayed: 'Its displayed size', unlimited: 'Any size' },
  },
  { name: 'latency', label: 'Orders reach the market after', kind: 'number', unit: 'ms' },
]

export const moreFields: readonly Field[] = [
  { name: 'symbols', label: 'Symbols', hint: 'all; or AAPL, MSFT, RIVN:14', isWide: true },
  { name: 'fees', label: 'Fees', options: { us: 'US fees by date', none: 'None' } },
  { name: 'market', label: 'Prices', options: { synthetic: 'Generated', replay: 'Imported data' } },
  { name: 'reject', label: 'Orders the market rejects', kind: 'number', unit: '%', hint: '0' },
  { name: 'interest', label: 'Margin interest', kind: 'number', unit: '% a year', hint: 'none' },
  { name: 'calls', label: 'Margin calls end after', kind: 'number', unit: 'sessions', hint: 'no calls' },
  { name: 'durable', label: 'Keep the world across restarts', kind: 'check', isWide: true },
]

export const startValues: Values = {
  start: '2026-01-05T10:00',
  hours: 'nyse',
  accounts: '1',
  cash: '100000',
  fill_size: 'displayed',
  latency: '40',
  fees: 'us',
  market: 'synthetic',
}

const given = (value: string | undefined): value is string => value !== undefined && value.trim() !== ''
const share = (percent: string): string => String(Number(percent) / 100)

export function worldBody(values: Values): NewWorld {
  const { world, seed, start, accounts, cash, latency, symbols, reject, interest, calls } = values
  const [day = '', time = ''] = (start ?? '').split('T')
  const margin = {
    ...(given(interest) && { interest_rate: share(interest) }),
    ...(given(calls) && { call_sessions: Number(calls) }),
  }
  return {
    ...(given(world) && { world: world.trim() }),
    ...(given(seed) && { seed: seed.trim() }),
    ...(given(start) && { start: new Date(newYorkMs(day, time)).toISOString() }),
    ...(given(accounts) && { accounts: Number(accounts) }),
    ...(given(cash) && { cash }),
    ...(given(latency) && { latency: `${latency}ms` }),
    ...(given(symbols) && { symbols: symbols.split(/[\s,]+/).filter((one) => one !== '') }),
    ...(given(reject) && { venue: { reject_share: share(reject) } }),
    ...(Object.keys(margin).length > 0 && { margin }),
    hours: values['hours'] as 'nyse',
    fill_size: values['fill_size'] as 'displayed',
    fees: values['fees'] as 'us',
    market: values['market'] as 'synthetic',
    durable: values['durable'] === 'yes',
  }
}
