import type { Operations } from '@quipu/contract'
import { moneyText, priceText, quantityText } from './amounts.ts'
import { decimal, multiply } from './decimal.ts'
import { dayText, secondText } from './times.ts'

type ChangingName = {
  readonly [Name in keyof Operations]: Operations[Name] extends { readonly method: 'GET' }
    ? never
    : Operations[Name] extends { readonly onlyReads: true }
      ? never
      : Name
}[keyof Operations]

/** Operations for a partner's account have the words of the operations for the own account. */
type Worded = Exclude<ChangingName, `${string}ForAccount`>

/** A value of the request by its name: of the path, the query or the body. Empty if there is none. */
export type ValueOf = (name: string) => string

const HUNDRED = decimal('100')
const isAmount = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text)
const quantity = (text: string): string => (isAmount(text) ? quantityText(text) : text)
const price = (text: string): string => (isAmount(text) ? priceText(text) : text)
const money = (text: string): string => (isAmount(text) ? `$${moneyText(text)}` : text)
const short = (id: string): string => (/^[0-9a-f-]{32,36}$/.test(id) ? id.slice(0, 8) : id)
const after = (word: string, text: string): string => (text === '' ? '' : ` ${word} ${text}`)
const then = (text: string): string => (text === '' ? '' : ` ${text}`)
/** An instant in New York time; a day or another text as it is. */
const when = (text: string): string =>
  /T/.test(text) && Number.isFinite(Date.parse(text)) ? `${dayText(text)} ${secondText(text)}` : text
const words = (text: string): string =>
  text.replaceAll('_', ' ').replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`)

/** `Buy 300 NVDA at 120.50` */
function order(value: ValueOf): string {
  const verb = value('side') === 'sell' ? 'Sell' : value('side') === 'buy' ? 'Buy' : 'Order'
  const size = value('qty') === '' ? money(value('notional')) : quantity(value('qty'))
  const of = value('qty') === '' && size !== '' ? ' of' : ''
  const kind = value('order_class')
  const group = kind === '' || kind === 'simple' ? '' : ` (${kind.toUpperCase()})`
  const what = `${then(size)}${of}${then(value('symbol'))}${priceWords(value)}${group}`
  return verb === 'Order' && what === '' ? 'Place an order' : `${verb}${what}`
}

function priceWords(value: ValueOf): string {
  const trail = value('trail_percent') === '' ? price(value('trail_price')) : `${value('trail_percent')} %`
  return (
    after('at', price(value('limit_price'))) +
    after('from', price(value('stop_price'))) +
    after('trailing', trail)
  )
}

function replacement(value: ValueOf): string {
  const changes = priceWords(value) + after('for', quantity(value('qty')))
  return `Replace order ${short(value('order_id'))}${changes}`
}

function closing(value: ValueOf): string {
  const part =
    value('percentage') === '' ? after('by', quantity(value('qty'))) : ` by ${value('percentage')} %`
  return `Close ${value('symbol_or_asset_id')}${part}`
}

function transfer(value: ValueOf): string {
  const isOut = value('direction') === 'OUTGOING'
  return `${isOut ? 'Withdraw' : 'Deposit'}${then(money(value('amount')))}`
}

function journal(value: ValueOf): string {
  const size =
    value('entry_type') === 'JNLS' ? `${quantity(value('qty'))} ${value('symbol')}` : money(value('amount'))
  return `Move ${size} to account ${short(value('to_account'))}${after('of world', value('to_world'))}`
}

function marketEvent(value: ValueOf): string {
  const depth = value('depth')
  const by = isAmount(depth) ? ` by ${quantityText(multiply(decimal(depth), HUNDRED))} %` : ''
  return `Plan a ${words(value('kind')) || 'market event'}${after('of', value('symbol'))}${by}`
}

function advance(value: ValueOf): string {
  const target =
    after('by', value('by')) + after('to', when(value('to'))) + after('until', words(value('until')))
  return `Advance the clock${target}`
}

const token = (size: string, value: ValueOf): string =>
  `${size} ${quantity(value('qty'))} ${value('underlying_symbol') || 'shares'}`
const tokenRequest = (verb: string) => (value: ValueOf) =>
  `${verb} tokenization request ${short(value('tokenization_request_id'))}`
const ofList = (verb: string) => (value: ValueOf) =>
  `${verb}${then(value('symbol'))} watchlist ${short(value('id')) || value('name')}`.trim()
const always = (text: string) => () => text
const named = (text: string, field: string) => (value: ValueOf) => `${text}${then(short(value(field)))}`

/** What a request asks for, by operation: `Buy 300 NVDA`. */
export const requestWords: Readonly<Record<Worded, (value: ValueOf) => string>> = {
  placeOrder: order,
  replaceOrder: replacement,
  cancelOrder: named('Cancel order', 'order_id'),
  cancelAllOrders: always('Cancel all orders'),
  closePosition: closing,
  closeAllPositions: always('Close all positions'),
  exerciseOption: named('Exercise option', 'symbol_or_contract_id'),
  doNotExerciseOption: named('Decline to exercise option', 'symbol_or_contract_id'),
  patchAccountConfigurations: always('Change the account settings'),
  createWatchlist: named('Create watchlist', 'name'),
  updateWatchlist: ofList('Change'),
  addToWatchlist: (value) => `Add ${value('symbol')} to watchlist ${short(value('id'))}`,
  deleteWatchlist: ofList('Delete'),
  removeFromWatchlist: (value) => `Remove ${value('symbol')} from watchlist ${short(value('id'))}`,
  updateWatchlistByName: ofList('Change'),
  addToWatchlistByName: (value) => `Add ${value('symbol')} to watchlist ${value('name')}`,
  deleteWatchlistByName: ofList('Delete'),
  createWalletTransfer: (value) => `Send ${quantity(value('amount'))} ${value('asset')} to a wallet`,
  createWhitelistedAddress: named('Add a wallet address for', 'asset'),
  deleteWhitelistedAddress: named('Remove wallet address', 'id'),
  createLocate: (value) => `Locate ${quantity(value('qty'))} ${value('symbol')} to borrow`,
  createAccount: named('Open account', 'client_account_id'),
  updateAccount: named('Change the details of account', 'account_id'),
  deleteAccount: named('Close account', 'account_id'),
  closeAccount: named('Close account', 'account_id'),
  resetAccount: named('Reset account', 'account_id'),
  createAccountKey: named('Create a key of account', 'account_id'),
  deleteAccountKey: named('Delete key', 'key_id'),
  blockAccount: named('Block account', 'account_id'),
  unblockAccount: named('Unblock account', 'account_id'),
  blockAccountOfWorld: named('Block account', 'account_id'),
  unblockAccountOfWorld: named('Unblock account', 'account_id'),
  createTransfer: transfer,
  createJournal: journal,
  authorizeOAuthToken: always('Issue a code to an app'),
  issueOAuthToken: always('Issue a token to an app'),
  deleteOAuthToken: named('Revoke token', 'token_id'),
  createOAuthClient: named('Register app', 'name'),
  updateOAuthClient: named('Change app', 'client_id'),
  deleteOAuthClient: named('Delete app', 'client_id'),
  createOAuthClientSecret: named('Create a secret of app', 'client_id'),
  deleteOAuthClientSecret: named('Delete a secret of app', 'client_id'),
  deleteOAuthGrant: named('Withdraw consent', 'grant_id'),
  issueMachineToken: always('Get a token of a partner program'),
  revokeMachineToken: always('Revoke a token of a partner program'),
  exchangeOAuthCode: (value) =>
    value('grant_type') === 'refresh_token' ? 'Renew the token of an app' : 'Exchange the code of an app',
  revokeOAuthToken: always('Revoke the token of an app'),
  introspectOAuthToken: always('Look up the token of an app'),
  submitAuthorizePage: always('Answer the consent page'),
  signIn: always('Sign in'),
  signOut: always('Sign out'),
  withdrawApp: named('Withdraw the consent to app', 'client_id'),
  changeOperatorRights: always('Change the rights of the session'),
  confirmSecondFactor: always('Confirm with a second factor'),
  changeFactors: always('Change the second factors'),
  issueSessionToken: always('Get a token for a page'),
  postTokenizationMint: (value) => token('Mint', value),
  postTokenizationMintBroker: (value) => token('Mint', value),
  createWorldMint: (value) => token('Mint', value),
  postTokenizationCallbackMint: tokenRequest('Confirm'),
  postTokenizationRedeem: (value) => token('Redeem', value),
  postTokenizationRedeemAlias: (value) => token('Redeem', value),
  completeRequest: tokenRequest('Complete'),
  rejectRequest: tokenRequest('Reject'),
  holdRequest: tokenRequest('Hold'),
  releaseRequest: tokenRequest('Release'),
  simulateRedemption: (value) => token('Simulate a redemption of', value),
  resolveUnmatchedTransfer: always('Close an unmatched transfer'),
  createIssuer: named('Create issuer', 'issuer'),
  createSigningKey: always('Get the signing key'),
  restoreIssuer: named('Restore issuer', 'issuer'),
  changeIssuer: named('Change issuer', 'issuer'),
  refreshIssuer: named('Read the tokens of issuer', 'issuer'),
  createIssuerLink: named('Link an account to issuer', 'issuer'),
  deleteIssuerLink: named('Unlink an account from issuer', 'issuer'),
  createWorld: named('Create world', 'world'),
  updateWorld: (value) => `Describe world ${value('world')}${then(value('title'))}`,
  forkWorld: (value) => `Fork world ${value('world')}${after('at', when(value('at')))}`,
  resetWorld: named('Reset world', 'world'),
  deleteWorld: named('Delete world', 'world'),
  createScenarioWorld: (value) => `Create a world of scenario ${value('name') || value('world')}`.trim(),
  replayClock: (value) => `Replay in lock-step${after('to', when(value('to')))}`,
  loadWorld: always('Load a world from a file'),
  freezeClock: always('Pause the clock'),
  runClock: (value) => (value('speed') === '' ? 'Run the clock' : `Run the clock at ${value('speed')}×`),
  advanceClock: advance,
  stopClock: always('Stop the clock'),
  setClock: (value) => `Set the clock${after('to', when(value('to')))}`,
  createAsset: named('Add symbol', 'symbol'),
  createMarketEvent: marketEvent,
  deleteMarketEvent: named('Remove market event', 'event_id'),
  createFault: named('Add fault rule', 'name'),
  deleteFaults: always('Remove all fault rules'),
  deleteFault: named('Remove fault rule', 'fault_id'),
  createCorporateAction: (value) =>
    `Plan a ${words(value('type')) || 'corporate action'}${after('of', value('symbol'))}`,
  deleteCorporateAction: named('Cancel corporate action', 'action_id'),
  deleteData: always('Delete imported data'),
  useData: always('Use imported data'),
  createKey: (value) => `Create a key${after('for', words(value('kind')))}`,
  deleteKey: named('Delete key', 'key_id'),
  createPartner: named('Create partner', 'name'),
  createUser: named('Create user', 'name'),
  changeUser: named('Change user', 'user'),
  deleteUser: named('Delete user', 'user'),
  createSignInLink: named('Create a sign-in link for', 'user'),
  resetSecondFactors: named('Remove the second factors of', 'user'),
  endUserSessions: named('End the sessions of', 'user'),
  storeRun: always('Store a run'),
  pinRun: named('Pin or unpin run', 'run'),
  deleteRun: named('Delete run', 'run'),
  createBackup: named('Make backup', 'name'),
  moveWorld: (value) => `Move world ${value('world')}${after('to', value('node'))}`,
  drainNode: named('Drain node', 'node'),
  resumeNode: named('Resume node', 'node'),
  closeSocket: named('Close stream', 'socket_id'),
  eraseAddresses: always('Erase client addresses'),
}
