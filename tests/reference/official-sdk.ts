import assert from 'node:assert/strict'
import { Alpaca, type AlpacaClientOptions, type streaming } from '@alpacahq/alpaca-trade-api'
import { Coverage } from './coverage.ts'

type Credentials =
  | { readonly url: string; readonly keyId: string; readonly secretKey: string }
  | { readonly url: string; readonly accessToken: string }

/** The official SDK with a fetch function for our server, and a record of its use. */
export class OfficialSdk {
  readonly coverage = new Coverage('official TypeScript SDK 4')

  /**
   * Without the rate limit and the timeout of the SDK: after a response without a body its timer would keep the test
   * process alive for half a minute.
   */
  client(credentials: Credentials, options: AlpacaClientOptions = {}): Alpaca {
    const credential =
      'accessToken' in credentials
        ? { accessToken: credentials.accessToken }
        : { keyId: credentials.keyId, secret: credentials.secretKey }
    const fetchApi = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const requested = new URL(String(input))
      const response = await fetch(credentials.url + requested.pathname + requested.search, init)
      if (response.ok) {
        const isJson = response.headers.get('content-type')?.includes('json')
        const received = isJson ? await response.clone().text() : ''
        const sent = parsed(String(init?.body ?? ''))
        this.coverage.succeeded(init?.method ?? 'GET', requested.pathname, sent, parsed(received))
      }
      return response
    }
    const alpaca = new Alpaca({ ...credential, rateLimit: false, timeoutMs: 0, fetchApi, ...options })
    return recordMethods(alpaca, (method) => this.coverage.called(method))
  }

  /** Opens a stream of trade updates, and collects its messages. */
  async tradeUpdates(alpaca: Alpaca, url: string) {
    const stream = alpaca.trading.stream({ url: socketUrl(url, '/stream') })
    stream.subscribeTradeUpdates()
    const updates = new Collector<streaming.TradeUpdate>(stream, () =>
      this.coverage.received('/stream', 'trade_updates'),
    )
    stream.onTradeUpdate(updates.take)
    await connect(stream)
    return { stream, updates }
  }

  /** Opens a stream of a feed, and collects its messages by channel. */
  async stockStream(alpaca: Alpaca, url: string, feed: string, symbols: readonly string[]) {
    const stream = alpaca.marketData.stockStream({ url: socketUrl(url, feed) })
    const on = <Message>(channel: string) =>
      new Collector<Message>(stream, () => this.coverage.received(feed, channel))
    const bars = on<streaming.StreamBar>('bars')
    const dailyBars = on<streaming.StreamBar>('dailyBars')
    const trades = on<streaming.StreamTrade>('trades')
    const quotes = on<streaming.StreamQuote>('quotes')
    stream.onBar(bars.take).onDailyBar(dailyBars.take).onTrade(trades.take).onQuote(quotes.take)
    stream.subscribeForBars([...symbols])
    stream.subscribeForDailyBars([...symbols])
    stream.subscribeForTrades([...symbols])
    stream.subscribeForQuotes([...symbols])
    await connect(stream)
    return { stream, bars, dailyBars, trades, quotes }
  }
}

/** Records the called methods of the trading namespace: `orders.market`, `submitAndWait`. */
function recordMethods(alpaca: Alpaca, note: (method: string) => void): Alpaca {
  const within = <Part extends object>(part: Part, path: string): Part =>
    new Proxy(part, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value === 'object' && value !== null) return within(value, `${path}${String(name)}.`)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          note(path + String(name))
          return value.apply(target, args)
        }
      },
    })
  const trading = within(alpaca.trading, '')
  return new Proxy(alpaca, {
    get: (target, name) => (name === 'trading' ? trading : Reflect.get(target, name, target)),
  })
}

type Stream = streaming.TradingStream | streaming.StockDataStream

/** Collects the messages of a stream. */
class Collector<Message> {
  readonly all: Message[] = []
  readonly #note: () => void
  #check: () => void = () => {}
  readonly #failed: Promise<never>

  constructor(stream: Stream, note: () => void) {
    this.#note = note
    this.#failed = new Promise((_, reject) => {
      stream.onError((text) => reject(new Error(`stream error: ${text}`)))
    })
    this.#failed.catch(() => {})
  }

  readonly take = (message: Message): void => {
    this.all.push(message)
    this.#note()
    this.#check()
  }

  /** The first message that matches, also an earlier one. */
  first(matches: (message: Message) => boolean): Promise<Message> {
    const found = new Promise<Message>((resolve) => {
      this.#check = () => {
        const match = this.all.find(matches)
        if (match !== undefined) resolve(match)
      }
      this.#check()
    })
    return Promise.race([found, this.#failed])
  }
}

/** Connects and waits until the server has confirmed the subscription. */
async function connect(stream: Stream): Promise<void> {
  const subscribed = new Promise((resolve) => stream.once('subscription', resolve))
  stream.connect()
  assert.deepEqual(await stream.whenAuthenticated(), {
    status: 'authenticated',
    authenticated: true,
    message: 'authenticated',
  })
  await subscribed
}

const parsed = (text: string) => (text === '' ? undefined : JSON.parse(text))

const socketUrl = (url: string, path: string): string => url.replace(/^http/, 'ws') + path
