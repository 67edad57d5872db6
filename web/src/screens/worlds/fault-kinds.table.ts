import type { Call } from '@quipu/sdk'
import type { Fault } from '../../live/faults.ts'
import type { Field, Values } from '../../parts/fields.tsx'

type NewFault = NonNullable<Call<'createFault'>['body']>

export type FaultKind = {
  readonly title: string
  readonly about: string
  readonly help: string
  readonly fields: readonly Field[]
  readonly start: Values
  readonly body: (values: Values) => NewFault
  /** Whether a rule came from this button. */
  readonly is: (rule: Fault) => boolean
}

const operation: Field = { name: 'operation', label: 'Operations', hint: 'all', isWide: true }
const stream: Field = {
  name: 'stream',
  label: 'Stream',
  options: { trade_updates: 'Trade updates', market_data: 'Market data' },
}
const times: Field = { name: 'times', label: 'Budget', kind: 'number', unit: 'times', isRequired: true }
const symbol: Field = { name: 'symbol', label: 'Symbol', hint: 'all' }

const words = (text: string | undefined): string[] =>
  (text ?? '').split(/[\s,]+/).filter((word) => word !== '')

function matchOf({ operation, stream, symbol, times }: Values): NonNullable<NewFault['match']> {
  return {
    ...(words(operation).length > 0 && { operation: words(operation) }),
    ...(words(stream).length > 0 && { stream: words(stream) }),
    ...(words(symbol).length > 0 && { symbol: words(symbol?.toUpperCase()) }),
    ...(times !== undefined && times !== '' && { times: Number(times) }),
  }
}

const isKind =
  (kind: Fault['effect']['kind'], status?: number) =>
  ({ effect }: Fault): boolean =>
    effect.kind === kind && (status === undefined || effect.status === status)

/** The buttons of faults, and their forms. */
export const faultKinds: readonly FaultKind[] = [
  {
    title: 'Response lost',
    about: 'after it is applied',
    help: 'The request is applied, and the connection closes without a response. A good client looks the order up.',
    fields: [operation, times],
    start: { operation: 'placeOrder', times: '1' },
    body: (values) => ({ match: matchOf(values), effect: { kind: 'answer_lost' } }),
    is: isKind('answer_lost'),
  },
  {
    title: '429',
    about: 'rate limited',
    help: 'Requests are refused with Retry-After.',
    fields: [operation, times, { name: 'wait', label: 'Retry after', kind: 'number', unit: 's' }],
    start: { operation: 'trading', times: '5', wait: '1' },
    body: (values) => ({
      match: matchOf(values),
      effect: { kind: 'status', status: 429, retry_after_seconds: Number(values['wait']) },
    }),
    is: isKind('status', 429),
  },
  {
    title: '503',
    about: 'server error',
    help: 'Requests fail. They may be applied all the same.',
    fields: [
      operation,
      times,
      { name: 'applied', label: 'Apply the request before it fails', kind: 'check', isWide: true },
    ],
    start: { operation: 'trading', times: '3', applied: '' },
    body: (values) => ({
      match: matchOf(values),
      effect: { kind: 'status', status: 503, applied: values['applied'] === 'yes' },
    }),
    is: isKind('status', 503),
  },
  {
    title: 'Delay',
    about: 'over the timeout',
    help: 'Responses come half a second after the timeout of the client.',
    fields: [
      operation,
      times,
      { name: 'timeout', label: 'Timeout of the client', kind: 'number', unit: 'ms', isRequired: true },
    ],
    start: { operation: 'trading', times: '1', timeout: '10000' },
    body: (values) => ({
      match: matchOf(values),
      effect: { kind: 'delay', client_timeout_ms: Number(values['timeout']), applied: true },
    }),
    is: isKind('delay'),
  },
  {
    title: 'Close stream',
    about: 'client reconnects',
    help: 'The stream closes. A good client reconnects and asks for what it missed.',
    fields: [stream, times],
    start: { stream: 'trade_updates', times: '3' },
    body: (values) => ({ match: matchOf(values), effect: { kind: 'close' } }),
    is: isKind('close'),
  },
  {
    title: 'Drop frames',
    about: 'gap in updates',
    help: 'Messages of the stream are not sent.',
    fields: [stream, times],
    start: { stream: 'trade_updates', times: '3' },
    body: (values) => ({ match: matchOf(values), effect: { kind: 'drop' } }),
    is: isKind('drop'),
  },
  {
    title: 'Send twice',
    about: 'repeated frames',
    help: 'Messages of the stream are sent twice.',
    fields: [stream, times],
    start: { stream: 'trade_updates', times: '3' },
    body: (values) => ({ match: matchOf(values), effect: { kind: 'duplicate' } }),
    is: isKind('duplicate'),
  },
  {
    title: 'Stale quotes',
    about: 'prices stand still',
    help: 'Latest quotes and trades stay as they are now. Trading goes on.',
    fields: [symbol, times],
    start: { symbol: '', times: '20' },
    body: (values) => ({ match: matchOf(values), effect: { kind: 'stale_quotes' } }),
    is: isKind('stale_quotes'),
  },
]
