import { parentPort, workerData } from 'node:worker_threads'
import { asLongWork } from '@quipu/broker/clock/long-work.ts'
import { readSource } from '@quipu/broker/journal/source.ts'
import type { MarketInputs } from '@quipu/broker/market/market-inputs.ts'
import { type MarketStore, openStore } from '@quipu/broker/market/store/index.ts'
import { worldMarket } from '@quipu/broker/market/world-market.ts'
import type { WorldId } from '@quipu/core'
import { entryIn } from '@quipu/core/values'
import { readJournalPage } from './journal-page.ts'
import type { HistorySource } from './lists.ts'
import type {
  FromHistoryThread,
  HistoryThreadData,
  ReadJournal,
  ReadMarket,
  ReadPage,
  ToHistoryThread,
} from './messages.ts'
import { readPage } from './page.ts'
import { readWhatIf, type WhatIfMarket } from './what-if.ts'

type ThreadMarket = HistorySource & WhatIfMarket

/** Reads pages of market history and of journals for the main thread. */
const port = parentPort!
const { folder } = workerData as HistoryThreadData
/** Each function builds its market at the first call. */
const markets = new Map<WorldId, () => ThreadMarket>()
const clients = new Map<number, Client>()
let store: MarketStore | undefined

class Client {
  isClosed = false
  onClosed(): () => void {
    return () => undefined
  }
}

const send = (message: FromHistoryThread): void => port.postMessage(message)

port.on('message', (message: ToHistoryThread) => {
  if (message.kind === 'forget') markets.delete(message.world)
  else if (message.kind === 'stop') close(message.id)
  else void read(message)
})
send({ kind: 'ready' })

/** Work stops at its next pause. */
function close(id: number): void {
  const client = clients.get(id)
  if (client) client.isClosed = true
}

async function read({ id, name, order }: ToHistoryThread & { kind: 'read' }): Promise<void> {
  if (order.kind === 'market' && order.market) markets.set(order.world, lazily(order.market))
  const client = new Client()
  clients.set(id, client)
  try {
    const page = await asLongWork(name, client, pageOf, order)
    const { buffer } = 'bytes' in page ? page.bytes : page
    port.postMessage({ kind: 'page', id, page } satisfies FromHistoryThread, [buffer])
  } catch {
    // The main thread reads the page again and answers with the error.
    send({ kind: 'failed', id })
  } finally {
    clients.delete(id)
  }
}

function pageOf(order: ReadMarket | ReadJournal): Promise<ReadPage> {
  if (order.kind === 'market') return readMarket(entryIn(markets, order.world)(), order.query)
  const { source, head, query } = order
  return readJournalPage(
    { read: (after) => readSource(source, after, head), head: () => ({ seq: head }) },
    query,
  )
}

const readMarket = (source: ThreadMarket, query: ReadMarket['query']): Promise<Uint8Array<ArrayBuffer>> =>
  'kind' in query ? readWhatIf(source, query) : readPage(source, query)

function lazily(inputs: MarketInputs): () => ThreadMarket {
  let source: ThreadMarket | undefined
  return () => (source ??= sourceOf(inputs))
}

/** Decoded blocks to keep: fewer than the main thread, because each thread has its own. */
const CACHE_BLOCKS = 16

function sourceOf({ settings, added, series }: MarketInputs): ThreadMarket {
  const market = worldMarket({
    settings,
    added,
    imported: () => {
      store ??= openStore(folder!, { cacheBlocks: CACHE_BLOCKS, readOnly: true })
      return series.map((record) => store!.pinned(record))
    },
  })
  return { market, actions: added.actions }
}
