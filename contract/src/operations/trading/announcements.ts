import { operation } from '../../operation.ts'
import {
  array,
  date,
  dateOrTimestamp,
  list,
  nullable,
  oneOf,
  optional,
  record,
  text,
  uuid,
} from '../../shape/index.ts'

const RANGE_DAYS_MAX = 90
const DAY_MS = 86_400_000

const Announcement = record({
  id: uuid(),
  corporate_action_id: text(),
  ca_type: oneOf('dividend', 'merger', 'spinoff', 'split'),
  ca_sub_type: oneOf(
    'cash',
    'stock',
    'merger_update',
    'merger_completion',
    'spinoff',
    'stock_split',
    'unit_split',
    'reverse_split',
    'recapitalization',
  ),
  initiating_symbol: text(),
  initiating_original_cusip: text(),
  target_symbol: nullable(text()),
  target_original_cusip: nullable(text()),
  declaration_date: nullable(date()),
  ex_date: nullable(date()),
  record_date: nullable(date()),
  payable_date: nullable(date()),
  expiration_date: nullable(date()),
  cash: text(),
  old_rate: text(),
  new_rate: text(),
}).named('Announcement')

const kind = text({
  pattern: /^(?:dividend|merger|spinoff|split)$/i,
  expected: 'one of dividend, merger, spinoff, split',
})

const query = record({
  ca_types: list(kind).where((kinds) => kinds.length > 0, 'ca_types is required'),
  since: optional(dateOrTimestamp()),
  until: optional(dateOrTimestamp()).about(`At most ${RANGE_DAYS_MAX} days after since.`),
  symbol: optional(text({ max: 64 })),
  cusip: optional(text({ max: 9 })),
  date_type: optional(oneOf('declaration_date', 'ex_date', 'record_date', 'payable_date')),
}).refine(({ since, until }) => {
  if (since === undefined || until === undefined)
    return { field: 'since', message: 'invalid param: both since & until required' }
  const days = (Date.parse(until) - Date.parse(since)) / DAY_MS
  if (days < 0) return { field: 'until', message: 'until should not be before since' }
  if (days <= RANGE_DAYS_MAX) return undefined
  return { field: 'until', message: `since and until may be at most ${RANGE_DAYS_MAX} days apart` }
})

const shared = { family: 'trading', who: ['account'], scope: 'read', deprecated: true } as const

/** Corporate actions of the world that the announcement format can express. */
export const announcements = {
  listAnnouncements: operation('GET /v2/corporate_actions/announcements', shared, {
    summary: 'List announcements of splits and dividends. Filters by ex-date unless date_type is given.',
    query,
    output: array(Announcement),
    errors: ['invalidParameter'],
  }),
  getAnnouncement: operation('GET /v2/corporate_actions/announcements/{id}', shared, {
    summary: 'Get an announcement.',
    params: record({ id: text({ max: 64 }) }),
    output: Announcement,
    errors: ['invalidParameter', 'announcementNotFound'],
  }),
}
