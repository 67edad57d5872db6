import { integer, list, nullable, oneOf, optional, text, uuid, withDefault } from '../../shape/index.ts'
import { worldParam } from '../sim/world-param.ts'

/** How every list that an operator reads is paged: from a cursor on, or the last so many. */
export const paging = {
  cursor: optional(text({ min: 1, max: 200 })).about(
    'Where the page before ended; from the beginning when left out.',
  ),
  last: optional(integer({ min: 1, max: 1000 })).about('Instead of a cursor: begin so many before the end.'),
  limit: withDefault(integer({ min: 1, max: 1000 }), 100).about('Rows of one page.'),
}

export const nextCursor = nullable(text()).about('For the next page; null at the end of what is stored.')

export const resuming = {
  'last-event-id': optional(text({ max: 200 })).about('With text/event-stream: where the one before ended.'),
}

export const format = withDefault(oneOf('json', 'csv', 'ndjson'), 'json').about(
  'The same by Accept: text/csv, application/x-ndjson.',
)

export const requestId = () =>
  text({
    pattern: /^[0-9a-f]{32}$/,
    called: 'a request id of 32 hexadecimal digits',
    example: '9f86d081884c7d659a2feaa0c55ad015',
  })

export const eventFilters = {
  account_id: optional(uuid()),
  order_id: optional(uuid()),
  request_id: optional(requestId()).about('What this request caused.'),
  kind: optional(list(text({ min: 1, max: 40, example: 'orderFilled' }), { max: 40 })),
}

export const inWorld = worldParam

export const sharedReading = { family: 'sim', who: ['operator'], scope: 'never', state: 'works' } as const
