import { integer, list, nullable, oneOf, optional, text, uuid, withDefault } from '../../shape/index.ts'

/** Paging of every operator list: from a cursor on, or the last rows. */
export const paging = {
  cursor: optional(text({ min: 1, max: 200 })).about(
    'next_cursor of the previous page. Default: from the beginning.',
  ),
  last: optional(integer({ min: 1, max: 1000 })).about(
    'Start this many rows before the end. Use it in place of cursor.',
  ),
  limit: withDefault(integer({ min: 1, max: 1000 }), 100).about('Rows per page.'),
}

export const nextCursor = nullable(text()).about('Cursor of the next page. null: no more rows.')

export const resuming = {
  'last-event-id': optional(text({ max: 200 })).about(
    'With text/event-stream: id of the last received event.',
  ),
}

export const formatParameter = withDefault(oneOf('json', 'csv', 'ndjson'), 'json').about(
  'The Accept header works too: text/csv, application/x-ndjson.',
)

export const requestId = () =>
  text({
    pattern: /^[0-9a-f]{32}$/,
    expected: 'a request id of 32 hexadecimal digits',
    example: '9f86d081884c7d659a2feaa0c55ad015',
  })

export const eventFilters = {
  account_id: optional(uuid()),
  order_id: optional(uuid()),
  request_id: optional(requestId()).about('Only events of this request.'),
  tokenization_request_id: optional(uuid()).about('Only events of this mint or redeem, with its jobs.'),
  kind: optional(list(text({ min: 1, max: 40, example: 'orderFilled' }), { max: 40 })),
}
