import type { JournalEventRecord } from '@quipu/contract'
import { definedFields } from '@quipu/core/values'
import { createStreams } from '@quipu/sdk'
import type { Command, Context } from '../command.ts'
import { operatorOptions } from '../find-server.ts'
import { type Column, printList, tableStream, utcMs } from '../output.ts'

const LAST = 20
const LAST_FILTERED = 1000

export const eventsCommand: Command = {
  name: 'events',
  about: 'Show the newest events of the journal: orders, fills, transfers and everything else.',
  flags: {
    follow: { about: 'Wait for new events and print each, until interrupted.' },
    last: {
      placeholder: 'N',
      about: `Start this many events before the end, at most 1000. Default: ${LAST}; with a filter ${LAST_FILTERED}.`,
    },
    kind: { placeholder: 'KIND', about: 'Show events of these kinds, separated by commas: orderFilled.' },
    account: { placeholder: 'ID', about: 'Show events of this account.' },
    order: { placeholder: 'ID', about: 'Show events of this order.' },
  },
  operations: ['listEvents'],
  example: 'quipu events --follow --kind orderFilled',
  run: (context) => (context.args.has('follow') ? followed(context) : listed(context)),
}

/** A filter is applied to the last events, so the pages after the first one matter too. */
async function listed(context: Context): Promise<0> {
  const { operator, config } = context
  const params = { world: config.world }
  const { last, ...filters } = queryOf(context)
  const events: JournalEventRecord[] = []
  let from: { readonly last?: string; readonly cursor?: string } = { last }
  for (;;) {
    const page = await operator().listEvents({ params, query: { ...filters, ...from, limit: 1000 } })
    events.push(...page.events)
    if (page.next_cursor === null) return printList(context, events, eventTable, 'no events')
    from = { cursor: page.next_cursor }
  }
}

async function followed(context: Context): Promise<0> {
  const { config, json, print, width } = context
  const lineOf = tableStream(eventTable, width)
  const streams = createStreams(operatorOptions(config))
  const call = { params: { world: config.world }, query: queryOf(context) }
  for await (const event of streams.listEvents(call)) print(json ? JSON.stringify(event) : lineOf(event))
  return 0
}

function queryOf({ args }: Context) {
  const filters = definedFields({
    account_id: args.get('account'),
    order_id: args.get('order'),
    kind: args.get('kind')?.split(','),
  })
  const isFiltered = Object.keys(filters).length > 0
  return { ...filters, last: args.get('last') ?? String(isFiltered ? LAST_FILTERED : LAST) }
}

const eventTable: readonly Column<JournalEventRecord>[] = [
  ['TIME (UTC)', ({ at }) => utcMs(at)],
  ['KIND', ({ kind }) => kind, 14],
  ['ORDER OR ACCOUNT', ({ order_id, account_id }) => order_id ?? account_id],
  ['NUMBER', ({ number }) => number, 'right'],
]
