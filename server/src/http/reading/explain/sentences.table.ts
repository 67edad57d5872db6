/** The numbers of a step as they are sent: amounts as decimals, times as timestamps, other values as words. */
export type Values = { readonly [name: string]: string }

type Sentence = (values: Values) => string

/**
 * The sentence of each kind of step. It depends on the numbers of the step alone, so that a program can write its own
 * sentence from the code and the numbers.
 */
export const sentences = {
  // The order.
  placed: (values) => `Accepted: ${termsText(values)}.`,
  asked: (values) => `Requested: ${termsText(values)}.`,
  askedReplace: (values) => `Requested: ${replaceText(values)}.`,
  askedCancel: ({ order_id }) => `Requested: cancel order ${order_id}.`,
  askedClose: (values) => `Requested: ${closeText(values)}.`,
  session: ({ session, way = '', due_at = '', trades_from }) =>
    [
      session && phases[session],
      ways[way]?.replace('{due_at}', due_at),
      trades_from && `It trades from ${trades_from} on.`,
    ]
      .filter(Boolean)
      .join(' '),
  tradingHours: ({ trades_now }) =>
    trades_now === 'true'
      ? 'The market was open for this order.'
      : 'The market was closed for this order: it would have been queued.',
  market: (values) => {
    const { ask, traded } = values
    const texts = [ask && quoteText(values), traded && `last trade ${traded}`]
    return `The market showed ${texts.filter(Boolean).join(', ')}.`
  },
  buyingPower: ({ qty, reference, cost, buying_power, multiplier, missing }) => {
    if (missing) return `It takes ${cost}; the buying power was ${buying_power}: ${missing} too little.`
    const margin = multiplier ? ` (${multiplier} times margin)` : ''
    const size = qty ? `${qty} at ${reference} take` : 'It takes'
    return `${size} ${cost} of a buying power of ${buying_power}${margin}: enough.`
  },
  balance: ({ symbol, balance, available, requested }) =>
    `It takes ${requested} ${symbol}; of ${balance}, ${available} are available.`,
  shares: ({ qty, position, available, requested, held_for_orders, held_for_mints }) => {
    if (!requested) return `It closes ${qty}; ${available} of a position of ${position} were available.`
    const mints = held_for_mints ? ` and ${held_for_mints} for mint requests` : ''
    return `Of ${position} held, ${held_for_orders} are reserved for other orders${mints}: ${available} are available, ${requested} were requested.`
  },
  timeInForce: ({ time_in_force = '', expires_at = '', extended_hours }) =>
    ends[time_in_force]!.replace('{expires_at}', expires_at).replace(
      '{session}',
      extended_hours === 'true' ? 'its' : 'the regular',
    ),
  trigger: ({ side, stop_price, hwm }) => {
    const way = side === 'sell' ? 'or below' : 'or above'
    const follows = hwm ? ', a price that follows the market' : ''
    return `It waits for a trade at ${stop_price} ${way}${follows}; only trades of the regular session count.`
  },
  replaces: ({ order_id }) => `It replaces order ${order_id}.`,
  group: ({ order_class, role = '', parent_id, leg_ids }) => {
    const others = leg_ids ? `with ${leg_ids.replaceAll(',', ' and ')}` : `under ${parent_id}`
    return `It is ${roles[role]} of ${order_class === 'bracket' ? 'a' : 'an'} ${order_class} order, ${others}.`
  },

  // Its way to the market.
  released: () => 'Its session began: it left the queue for the market.',
  worked: (values) => {
    const { side, limit_price, bid, ask, reached, time_in_force } = values
    if (!reached) return 'It reached the market.'
    const far = side === 'buy' ? `the ask of ${ask}` : `the bid of ${bid}`
    if (reached === 'true') return `It reached the market; ${far} reached its limit.`
    const waits = time_in_force === 'ioc' || time_in_force === 'fok' ? '' : ', so it waits'
    return `It reached the market; ${far} was ${side === 'buy' ? 'above' : 'below'} its limit of ${limit_price}${waits} (${quoteText(values)}).`
  },
  activated: () => 'The order it belongs to was filled: it works from now on.',
  armed: () => 'The order it belongs to was filled: its stop is active from now on.',
  trailed: ({ moves, hwm, stop_price }) =>
    `The best price reached ${hwm}; its stop followed to ${stop_price} in ${moves} moves.`,
  elected: ({ price }) => `A trade at ${price} reached its stop: it works from now on.`,
  resized: ({ qty }) => `It is for ${qty} now, as the order it belongs to was filled in part.`,
  restated: () => 'A corporate action changed its terms.',

  // Fills and ends.
  filled: (values) => `${fillPriceText(values)} ${fillSizeText(values)}`,
  replaced: ({ by }) => `Replaced by order ${by}.`,
  canceled: ({ why = '' }) => cancels[why]!,
  expired: () => 'Expired: its time in force ended.',
  rejected: (values) =>
    values['why'] === 'market'
      ? `The market rejected it: ${drawText(values)}.`
      : 'Rejected, because the order that it was to replace was not replaced.',
  cancelRequested: ({ confirm_at }) =>
    `Its owner asked for a cancel; the market decides at ${confirm_at}, and it can fill until then.`,
  cancelRejected: (values) => `The market rejected the cancel: ${drawText(values)}.`,
  replaceRequested: ({ by }) =>
    `Its owner asked for a replacement by ${by}; it can fill until the market decides.`,
  replaceRejected: (values) =>
    values['why'] === 'market'
      ? `The market rejected the replacement: ${drawText(values)}.`
      : 'It was not replaced, because one of the two orders ended before.',
  doneForDay: ({ resumes_at }) =>
    `The market stopped working it; ${resumes_at ? `it works again at ${resumes_at}` : 'it expires with its session'}.`,
  resumed: () => 'Its next session began: the market works it again.',
  requeued: () => 'Its rest after a partial fill is over: it can fill again.',
  liquidation: ({ equity, maintenance_margin }) =>
    `The broker placed it, because a margin call was not met: the equity ${equity} is below the maintenance margin ${maintenance_margin}.`,
  event: ({ kind }) => `Another event of the order: ${kind}.`,

  // Now.
  waiting: (values) => {
    const { for: cause, side, bid, ask, limit_price, orders_ahead, queue_ahead } = values
    if (cause !== 'quote') return filledIn(waits[cause!]!, values)
    const far = side === 'buy' ? `the ask, now ${ask},` : `the bid, now ${bid},`
    const wait =
      limit_price && ask
        ? `It waits until ${far} reaches ${limit_price} (${quoteText(values)}).`
        : 'It waits for a quote.'
    const queue =
      orders_ahead === '0'
        ? 'No orders are ahead of it.'
        : `${orders_ahead} orders for ${queue_ahead} are ahead of it.`
    return `${wait} ${queue}`
  },

  // What would have filled it.
  limitAtOnce: ({ limit_price, side, order_is }) =>
    `A limit of ${limit_price} or ${side === 'buy' ? 'more' : 'less'} would have ${order_is === 'refused' ? 'been reached' : 'filled'} at once.`,
  limitInLife: ({ limit_price, at }) =>
    `While it worked, a limit of ${limit_price} would have been reached, at ${at}; no limit nearer to its own was reached.`,
  limitReachedAt: ({ limit_price, at, order_is, is_past }) => {
    if (!at) return `Its limit of ${limit_price} would have been reached at once.`
    if (order_is === 'refused') return `Its own limit of ${limit_price} is reached at ${at}.`
    if (order_is === 'open')
      return `Its limit of ${limit_price} is reached at ${at}, unless something changes.`
    return `If it had stayed open, its limit of ${limit_price} ${is_past === 'true' ? 'would have been' : 'would be'} reached at ${at}.`
  },
  limitNotReached: ({ limit_price, searched_to }) =>
    `Its limit of ${limit_price} is not reached up to ${searched_to}.`,
  electedAt: ({ stop_price, price, at, order_is }) =>
    `A trade at ${price} at ${at} ${order_is === 'open' ? 'elects' : 'would have elected'} its stop of ${stop_price}.`,
  stopNotReached: ({ stop_price, searched_to }) =>
    `Nothing trades at its stop of ${stop_price} up to ${searched_to}.`,
  auctionAhead: ({ auction = '', at }) => `Its ${auctions[auction]} auction is at ${at}.`,
  limitInAuction: ({ auction, limit_price, side }) =>
    `The ${auctions[auction!]} auction was held at ${limit_price}: a limit of that or ${side === 'buy' ? 'more' : 'less'} would have traded in it.`,
  quantityPossible: ({ qty, price }) =>
    price ? `At ${price} the buying power was enough for ${qty}.` : `At most ${qty} could have been ordered.`,
  notionalPossible: ({ notional }) => `At most ${notional} USD could have been ordered.`,
  notForeseeable: () => 'The prices of this world come from an upstream provider and cannot be searched.',

  // A request without a decision about an order.
  answered: ({ method, path, status }) =>
    `${method} ${path} was ${responseText(status)}; it placed no order.`,
} as const satisfies Record<string, Sentence>

export type StepCode = keyof typeof sentences

/** The sentence of a refusal. Its code is the reason of the error. */
export const refusalSentence: Sentence = ({ message, method, path, status, reason }) =>
  method
    ? `${method} ${path} was ${responseText(status)}, ${reason}, before any order rule was checked.`
    : `Refused: ${message}.`

export const responseText = (status: string | undefined): string =>
  status === undefined ? 'closed without a response' : `answered ${status}`

type Words = { readonly [word: string]: string }

const phases: Words = {
  always: 'It trades at any hour.',
  regular: 'The regular session was on.',
  extended: 'It was before or after the regular session.',
  closed: 'The market was closed.',
}

const ways: Words = {
  held: 'It waits for the order it belongs to.',
  queued: 'It is queued and leaves for the market at {due_at}.',
  at_once: 'It goes to the market at once.',
  delayed: 'It reaches the market at {due_at}.',
}

const ends: Words = {
  day: 'Good for the day: it expires at {expires_at}, the end of {session} session.',
  gtc: 'Good till canceled: it is canceled by age at {expires_at}.',
  opg: 'It trades only in the opening auction; the rest expires at {expires_at}.',
  cls: 'It trades only in the closing auction; the rest expires at {expires_at}.',
  ioc: 'Immediate or cancel: the quantity that the first quote does not fill is canceled.',
  fok: 'Fill or kill: the first quote fills all of it, or it is canceled.',
}

const roles: Words = { entry: 'the entry', takeProfit: 'the take-profit', stopLoss: 'the stop-loss' }

const cancels: Words = {
  asked: 'Canceled at the request of its owner.',
  aged: 'Canceled by age: it reached the maximum time of good-till-canceled orders.',
  group: 'Canceled, because an order it belongs to ended.',
  unfilled: 'Canceled: the quote did not fill it, and its time in force does not let it wait.',
  action: 'Canceled by a corporate action.',
  liquidation: 'Canceled by the broker, because a margin call was not met.',
}

const waits: Words = {
  session: 'It is queued until {due_at}.',
  parent: 'It waits for the order it belongs to.',
  trade: 'It waits for a trade at {stop_price}.',
  rest: 'It rests until {rests_until} after a partial fill.',
  next_session: 'The market does not work it until its next session.',
  replacement: 'It replaces order {order_id} when the market agrees, at {due_at}.',
  market: 'It is on its way to the market.',
}

const auctions: Words = { open: 'opening', close: 'closing' }

const filledIn = (text: string, values: Values): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')

const quoteText = ({ bid, bid_size, ask, ask_size }: Values): string =>
  `bid ${bid} × ${bid_size}, ask ${ask} × ${ask_size}`

const drawText = ({ draw, share }: Values): string => `the seeded draw ${draw} is below the share ${share}`

function fillPriceText(values: Values): string {
  const { side, qty, price, auction, worse_by, filled_at } = values
  const trade = `${side === 'buy' ? 'Bought' : 'Sold'} ${qty} at ${price}`
  if (auction) return `${trade}, the price of the ${auctions[auction]} auction.`
  const moved = worse_by ? `${worse_by} worse than ` : ''
  return `${trade}, ${moved}the ${side === 'buy' ? 'ask' : 'bid'} at ${filled_at} (${quoteText(values)}).`
}

function fillSizeText({
  rests_until,
  minute_volume,
  auction,
  volume_cap,
  queue_ahead,
  remaining_qty,
}: Values) {
  const left = remaining_qty === '0' ? 'Nothing is left.' : `${remaining_qty} are left.`
  if (rests_until) return `It fills in pieces and rests until ${rests_until}. ${left}`
  if (minute_volume)
    return `Fills are limited to a share of the volume of the minute, ${minute_volume}. ${left}`
  if (auction) return `An auction fills the full quantity. ${left}`
  if (volume_cap === 'unlimited') return `The size of fills is not limited in this world. ${left}`
  const queue = queue_ahead === '0' ? '' : `, of which ${queue_ahead} went to orders ahead of it`
  return `The quote had ${volume_cap} available${queue}. ${left}`
}

const times: Words = {
  day: 'good for the day',
  gtc: 'good till canceled',
  opg: 'for the opening auction',
  cls: 'for the closing auction',
  ioc: 'immediate or cancel',
  fok: 'fill or kill',
}

/** An order in a few words: `buy 3 AAPL at 187.5 or better, good for the day`. */
export function termsText(values: Values): string {
  const { symbol, side, qty, notional, order_class, time_in_force } = values
  const size = notional ? `${symbol} for ${notional} USD` : `${qty} ${symbol}`
  return `${side} ${size} ${priceText(values)}, ${times[time_in_force!]}${order_class ? `, ${order_class}` : ''}`
}

function priceText({ limit_price, stop_price, trail_price, trail_percent }: Values): string {
  const best = limit_price ? `at ${limit_price} or better` : 'at the market'
  const trail = trail_price ?? (trail_percent && `${trail_percent} %`)
  if (trail) return `${best} once the market turns by ${trail}`
  return stop_price ? `${best} once ${stop_price} is traded` : best
}

/** A replacement in a few words. */
export function replaceText({ order_id, qty, limit_price, stop_price, trail }: Values): string {
  const wanted = [
    qty && `quantity ${qty}`,
    limit_price && `limit ${limit_price}`,
    stop_price && `stop ${stop_price}`,
    trail && `trail ${trail}`,
  ].filter(Boolean)
  return `replace order ${order_id}${wanted.length > 0 ? ` with ${wanted.join(', ')}` : ''}`
}

export function closeText({ symbol, qty, percentage }: Values): string {
  const part = qty ?? (percentage ? `${percentage} %` : 'all')
  return `close ${part} of the position in ${symbol}`
}
