import { operation } from '../../operation.ts'
import { array, integer, map, oneOf, optional, record, text, uuid, withDefault } from '../../shape/index.ts'
import { worldParam } from '../sim/world-param.ts'
import { printable, TokenizationIssuer, TokenizationNetwork } from './tokenization.ts'

const url = () =>
  text({ max: 2048, pattern: /^https?:\/\/[^\s/?#]+[^\s#]*$/, called: 'an http or https URL' }).about(
    'http or https.',
  )
const address = () => text({ min: 1, max: 128, pattern: printable })

export const TokenListing = record({
  underlying: text({ min: 1, max: 64 }),
  token: text({ min: 1, max: 64 }),
  networks: array(TokenizationNetwork),
  multiplier: optional(text()).about(
    'Shares behind one token, as a fraction; 1/1 when left out. Splits change it.',
  ),
}).named('TokenListing')

const outcomes = ['complete', 'reject', 'reject_late', 'hold', 'never', 'late'] as const
const Outcome = oneOf(...outcomes)

export const IssuerBehaviour = record({
  delay_seconds: withDefault(integer({ min: 0, max: 31_536_000 }), 0).about('From transfer to tokens.'),
  outcome: withDefault(Outcome, 'complete').about(
    'reject: at once; reject_late: when the shares have moved; hold: waits until let go; never: no tokens come; late: after late_seconds.',
  ),
  late_seconds: withDefault(integer({ min: 0, max: 31_536_000 }), 3600),
  wallets: withDefault(map(Outcome), {}).about('By wallet address, where it is another outcome.'),
}).named('IssuerBehaviour')

const issuerFields = {
  issuer: TokenizationIssuer,
  name: text(),
  mode: oneOf('builtin', 'external'),
  account_id: uuid().about('Where the shares behind its tokens are kept, and its callbacks go.'),
  custody_account_ids: array(uuid()).about('Other accounts of its own that keep shares.'),
  auth: optional(oneOf('api_key', 'signature')),
  mint_url: optional(text()),
  confirm_url: optional(text()),
  connect_url: optional(text()),
  tokens_url: optional(text()),
  custody_url: optional(text()),
  redemption_wallets: map(text()).about('Where tokens are sent to be redeemed, by network.'),
  behaviour: optional(IssuerBehaviour),
  tokens: array(TokenListing),
}
export const IssuerRecord = record(issuerFields).named('Issuer')
export const CreatedIssuer = record({
  ...issuerFields,
  key_id: text().about('The credential it calls back with.'),
  secret_key: text().about('Shown once.'),
  signing_key_id: optional(text()).about('Which of our keys signs calls to it.'),
  public_key: optional(text()).about('To check signatures of our calls by, as PEM.'),
}).named('CreatedIssuer')

export const IssuerLink = record({
  account_id: uuid(),
  issuer: TokenizationIssuer,
  kind: oneOf('handshake', 'affiliated'),
  state: oneOf('asked', 'linked', 'refused'),
  email: optional(text()),
  external_id: optional(text()),
  reason: optional(text()).about('Why the issuer refused.'),
}).named('IssuerLink')

const grace = (whose: string) =>
  withDefault(integer({ min: 0, max: 2_592_000 }), 0).about(`How long the credentials ${whose} still work.`)

const inWorld = record(worldParam)
const ofIssuer = record({ ...worldParam, issuer: TokenizationIssuer })
const shared = { family: 'sim', who: ['operator'], scope: 'never', state: 'works' } as const
const path = '/sim/v1/worlds/{world}/tokenization'
const gone = ['worldNotFound'] as const

export const issuers = {
  listIssuers: operation({
    ...shared,
    method: 'GET',
    path: `${path}/issuers`,
    summary: 'The issuers of a world, with their tokens.',
    params: inWorld,
    output: array(IssuerRecord),
    status: 200,
    errors: gone,
  }),
  createIssuer: operation({
    ...shared,
    method: 'POST',
    path: `${path}/issuers`,
    summary:
      'Sets up an external issuer, or changes one. Shows its new credential once, and ends the earlier ones.',
    params: inWorld,
    body: record({
      issuer: TokenizationIssuer,
      name: optional(text({ min: 1, max: 128 })),
      mint_url: url(),
      confirm_url: url(),
      connect_url: optional(url()),
      tokens_url: optional(url()).about('Asked for its tokens now; needed where tokens is left out.'),
      custody_url: optional(url()).about('With {underlying_symbol} in it.'),
      api_key: optional(text({ min: 1, max: 512, pattern: printable })).about(
        'Sent as X-API-KEY. Where it is left out, calls are signed.',
      ),
      tokens: optional(array(TokenListing, { max: 10_000 })),
      redemption_wallets: withDefault(map(address()), {}),
      grace_seconds: grace('of an issuer that exists already'),
    }).named('NewIssuer'),
    output: CreatedIssuer,
    status: 201,
    errors: ['invalidParameter', 'worldNotFound', 'issuerAccountInvalid', 'issuerUnreachable'],
  }),
  restoreIssuer: operation({
    ...shared,
    method: 'POST',
    path: `${path}/issuers/{issuer}/restore`,
    summary:
      'Makes an issuer built in again, with the tokens of a new world, and ends its credentials. It completes the mints that wait for the external issuer.',
    params: ofIssuer,
    body: record({ grace_seconds: grace('of the external issuer') }).named('RestoredIssuer'),
    output: IssuerRecord,
    status: 200,
    errors: ['invalidParameter', 'worldNotFound', 'issuerNotFound', 'issuerNotBuiltin'],
  }),
  changeIssuer: operation({
    ...shared,
    needsSim: true,
    method: 'PATCH',
    path: `${path}/issuers/{issuer}`,
    summary: 'What a built-in issuer does with requests from here on.',
    params: ofIssuer,
    body: IssuerBehaviour,
    output: IssuerRecord,
    status: 200,
    errors: ['invalidParameter', 'worldNotFound', 'issuerNotFound', 'issuerNotBuiltin'],
  }),
  refreshIssuer: operation({
    ...shared,
    method: 'POST',
    path: `${path}/issuers/{issuer}/tokens`,
    summary: 'Asks an issuer outside for its tokens again.',
    params: ofIssuer,
    output: IssuerRecord,
    status: 200,
    errors: ['worldNotFound', 'issuerNotFound', 'issuerHasNoAddress', 'issuerUnreachable'],
  }),
  listIssuerLinks: operation({
    ...shared,
    method: 'GET',
    path: `${path}/links`,
    summary: 'Which accounts may mint with which issuers.',
    params: inWorld,
    output: array(IssuerLink),
    status: 200,
    errors: gone,
  }),
  createIssuerLink: operation({
    ...shared,
    method: 'POST',
    path: `${path}/links`,
    summary:
      'Lets an account mint with an issuer: by an e-mail address the issuer is asked about, by its own id, or by ours.',
    params: inWorld,
    body: record({
      account_id: uuid(),
      issuer: TokenizationIssuer,
      email: optional(
        text({ min: 3, max: 254, pattern: /^[^\s@]+@[^\s@]+$/, called: 'an e-mail address' }),
      ).about('The issuer is asked.'),
      external_id: optional(address()).about('Known already.'),
    }).named('NewIssuerLink'),
    output: IssuerLink,
    status: 201,
    errors: [
      'invalidParameter',
      'worldNotFound',
      'accountNotFound',
      'issuerNotFound',
      'issuerAccountInvalid',
      'issuerHasNoAddress',
      'externalIdTaken',
    ],
  }),
  deleteIssuerLink: operation({
    ...shared,
    method: 'DELETE',
    path: `${path}/links/{account_id}/{issuer}`,
    summary: 'Lets an account mint no more; what is under way goes on.',
    params: record({ ...worldParam, account_id: uuid(), issuer: TokenizationIssuer }),
    status: 204,
    errors: ['worldNotFound', 'linkNotFound'],
  }),
}
