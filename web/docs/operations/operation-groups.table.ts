/** Operations that belong together, for the navigation. An operation belongs to the first group whose pattern fits its path. */
export type GroupRow = {
  readonly slug: string
  readonly title: string
  readonly about: string
  readonly paths: RegExp
}

const world = '^/sim/v1/worlds/\\{world\\}'

export const groups: readonly GroupRow[] = [
  {
    slug: 'account',
    title: 'Account',
    about: 'Balances, configuration, activities and portfolio history of the account of a key.',
    paths: /^\/v2\/account/,
  },
  {
    slug: 'orders',
    title: 'Orders',
    about: 'Place, replace, cancel and list orders.',
    paths: /^\/v2\/orders/,
  },
  {
    slug: 'positions',
    title: 'Positions',
    about: 'List positions at current prices, and close them.',
    paths: /^\/v2\/positions/,
  },
  {
    slug: 'assets',
    title: 'Assets',
    about: 'Symbols that can be traded, option contracts, bonds and announcements.',
    paths: /^\/v2\/(assets|options|corporate_actions)/,
  },
  {
    slug: 'calendar',
    title: 'Clock and calendar',
    about: 'The time of the world, sessions and trading days.',
    paths: /^\/v[23]\/(clock|calendar)/,
  },
  {
    slug: 'watchlists',
    title: 'Watchlists',
    about: 'Named lists of symbols.',
    paths: /^\/v2\/watchlists/,
  },
  {
    slug: 'account-events',
    title: 'Event streams',
    about: 'Updates of orders, activities and tokenization requests as server-sent events.',
    paths: /^\/v\w+\/events\//,
  },
  {
    slug: 'transfers-and-locates',
    title: 'Wallets and locates',
    about: 'Parts of the protocol that Quipu refuses or leaves empty: crypto wallets and locates.',
    paths: /^\/v2\/wallets|^\/v1\/locates/,
  },
  {
    slug: 'stock-data',
    title: 'Stock prices',
    about: 'Bars, trades, quotes, auctions and snapshots of stocks.',
    paths: /^\/v2\/stocks/,
  },
  {
    slug: 'crypto-data',
    title: 'Crypto prices',
    about: 'Bars, trades, quotes, order books and snapshots of crypto pairs.',
    paths: /^\/v1beta3\/crypto/,
  },
  {
    slug: 'other-data',
    title: 'Other market data',
    about: 'Screener, corporate actions, and data that Quipu leaves empty.',
    paths: /^\/v1beta1\/|^\/v1\/corporate-actions/,
  },
  {
    slug: 'tokenization',
    title: 'Tokenized shares',
    about: 'Mint and redeem tokens of shares.',
    paths: /^\/v[12]\/.*tokenization/,
  },
  {
    slug: 'partner-accounts',
    title: 'Accounts of partners',
    about: 'Open, change, block, reset and close accounts, and their keys.',
    paths: /^\/v1\/accounts(?!.*(transfers))/,
  },
  {
    slug: 'partner-money',
    title: 'Money of partners',
    about: 'Deposits, withdrawals, and journals between accounts.',
    paths: /^\/v1\/(accounts.*transfers|journals)/,
  },
  {
    slug: 'partner-trading',
    title: 'Trading for accounts',
    about: 'The trading operations, for an account of a partner.',
    paths: /^\/v1\/trading/,
  },
  {
    slug: 'partner-assets',
    title: 'Assets for partners',
    about: 'Assets, clock, calendar and announcements with the key of a partner.',
    paths: /^\/v1\/(assets|clock|calendar|corporate_actions|options)/,
  },
  {
    slug: 'oauth-apps',
    title: 'OAuth apps',
    about: 'Register apps, issue codes and tokens, and list consents, as a partner.',
    paths: /^\/v1\/oauth\//,
  },
  {
    slug: 'oauth',
    title: 'OAuth and sign-in',
    about: 'The endpoints of OAuth, the pages for users, and browser sessions.',
    paths: /^\/oauth|^\/v1\/oauth2|oauth-authorization-server/,
  },
  {
    slug: 'clock',
    title: 'Clocks of worlds',
    about: 'Freeze, run, set, advance and replay the clock of a world.',
    paths: new RegExp(`${world}/clock`),
  },
  {
    slug: 'world-market',
    title: 'Market of a world',
    about: 'Symbols, market events, corporate actions and imported data of a world.',
    paths: new RegExp(`${world}/(assets|market-events|corporate-actions|data|halts)|^/sim/v1/data`),
  },
  {
    slug: 'faults',
    title: 'Faults',
    about: 'Make requests, streams and calls of a world fail on purpose.',
    paths: new RegExp(`${world}/faults`),
  },
  {
    slug: 'issuers',
    title: 'Issuers',
    about: 'Control token issuers, their requests and unmatched transfers.',
    paths: new RegExp(`${world}/tokenization|${world}/.*(issuer|transfer)`),
  },
  {
    slug: 'keys-and-users',
    title: 'Keys and users',
    about: 'Keys, partners, users and their sessions.',
    paths: new RegExp(`${world}/(keys|partners|users)`),
  },
  {
    slug: 'reading',
    title: 'Journal and ledger',
    about: 'Events, postings, balances, orders and accounts of a world, and explanations.',
    paths: new RegExp(`${world}/(events|postings|balances|orders|accounts|journal|audit|.*explain)`),
  },
  {
    slug: 'requests',
    title: 'Requests and streams',
    about: 'The request log, stream frames, open connections and jobs.',
    paths: new RegExp(`${world}/(requests|sockets|jobs|frames)|^/sim/v1/audit-log`),
  },
  {
    slug: 'worlds',
    title: 'Worlds',
    about: 'Create, fork, reset, save, load and delete worlds.',
    paths: /^\/sim\/v1\/(?!backups)/,
  },
  {
    slug: 'server',
    title: 'Server',
    about: 'Health, metrics, backups and the OpenAPI document.',
    paths: /^\//,
  },
]
