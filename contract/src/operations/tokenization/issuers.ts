import { operation } from '../../operation.ts'
import { array, integer, map, oneOf, optional, record, text, uuid, withDefault } from '../../shape/index.ts'
import { ofWorld, operatorOnly, worldParam } from '../sim/world-param.ts'
import { printable, TokenizationIssuer, TokenizationNetwork } from './tokenization.ts'

const url = () =>
  text({ max: 2048, pattern: /^https?:\/\/[^\s/?#]+[^\s#]*$/, expected: 'an http or https URL' }).about(
    'http or https.',
  )
const address = () => text({ min: 1, max: 128, pattern: printable })

export const TokenListing = record({
  underlying: text({ min: 1, max: 64 }),
  token: text({ min: 1, max: 64 }),
  networks: array(TokenizationNetwork),
  multiplier: optional(text()).about('Shares per token, as a fraction. Default: 1/1. Splits change it.'),
}).named('TokenListing')

/** The shares that an issuer keeps in custody, and the tokens they back. */
export const Custody = record({
  issuer: text(),
  underlying_symbol: text(),
  custody: text().about('Shares in the custody accounts. They back all tokens, including tokens in flight.'),
  multiplier: text().about('Shares per token, as a fraction. Splits change it.'),
  in_flight: text().about('Tokens that do not exist yet, but whose shares have moved.'),
  tokens: map(text()).about('Tokens minted and not redeemed, by network.'),
}).named('Custody')

const outcomes = ['complete', 'reject', 'reject_late', 'hold', 'never', 'late'] as const
const Outcome = oneOf(...outcomes)

export const IssuerBehaviour = record({
  delay_seconds: withDefault(integer({ min: 0, max: 31_536_000 }), 0).about(
    'Seconds from the share transfer to the tokens.',
  ),
  outcome: withDefault(Outcome, 'complete').about(
    'reject: at once; reject_late: after the shares have moved; hold: wait for a release; never: no tokens arrive; late: after late_seconds.',
  ),
  late_seconds: withDefault(integer({ min: 0, max: 31_536_000 }), 3600).about('Delay of the outcome late.'),
  wallets: withDefault(map(Outcome), {}).about('Other outcomes by wallet address.'),
}).named('IssuerBehaviour')

const issuerFields = {
  issuer: TokenizationIssuer,
  name: text(),
  mode: oneOf('builtin', 'external'),
  account_id: uuid().about('Account that holds the shares behind the tokens and receives the callbacks.'),
  custody_account_ids: array(uuid()).about('Other custody accounts of the issuer.'),
  auth: optional(oneOf('api_key', 'signature')),
  mint_url: optional(text()),
  confirm_url: optional(text()),
  connect_url: optional(text()),
  tokens_url: optional(text()),
  custody_url: optional(text()),
  redemption_wallets: map(text()).about('Redemption wallets by network.'),
  behaviour: optional(IssuerBehaviour),
  tokens: array(TokenListing),
}
export const IssuerRecord = record(issuerFields).named('Issuer')
export const CreatedIssuer = record({
  ...issuerFields,
  key_id: text().about('Credential for callbacks of the issuer.'),
  secret_key: text().about('Shown once.'),
  signing_key_id: optional(text()).about('Id of the Quipu key that signs calls to the issuer.'),
  public_key: optional(text()).about('Public key to verify the signatures of calls, as PEM.'),
}).named('CreatedIssuer')

export const SigningKeyShape = record({
  signing_key_id: text().about('Id of the key, `keyid` in the signature of a call.'),
  public_key: text().about('Public key to verify the signatures of calls, as PEM.'),
}).named('SigningKey')

export const IssuerLink = record({
  account_id: uuid(),
  issuer: TokenizationIssuer,
  kind: oneOf('handshake', 'affiliated'),
  state: oneOf('asked', 'linked', 'refused'),
  email: optional(text()),
  external_id: optional(text()),
  reason: optional(text()).about('Why the issuer refused the link.'),
}).named('IssuerLink')

const grace = () =>
  withDefault(integer({ min: 0, max: 2_592_000 }), 0).about(
    'Seconds that the previous credentials stay valid.',
  )

const ofIssuer = record({ ...worldParam, issuer: TokenizationIssuer })
const path = '/sim/v1/worlds/{world}/tokenization'

export const issuers = {
  listIssuers: operation(`GET ${path}/issuers`, ofWorld, {
    summary: 'List issuers of a world with their tokens.',
    output: array(IssuerRecord),
  }),
  createIssuer: operation(`POST ${path}/issuers`, ofWorld, {
    summary:
      'Create or update an external issuer. The new credential is shown once; earlier credentials end.',
    body: record({
      issuer: TokenizationIssuer,
      name: optional(text({ min: 1, max: 128 })),
      mint_url: url(),
      confirm_url: url(),
      connect_url: optional(url()),
      tokens_url: optional(url()).about('Called now to get the tokens. Required if tokens is omitted.'),
      custody_url: optional(url()).about('Must contain {underlying_symbol}.'),
      api_key: optional(text({ min: 1, max: 512, pattern: printable })).about(
        'Sent as X-API-KEY. Default: calls are signed.',
      ),
      tokens: optional(array(TokenListing, { max: 10_000 })),
      redemption_wallets: withDefault(map(address()), {}),
      grace_seconds: grace(),
    }).named('NewIssuer'),
    output: CreatedIssuer,
    status: 201,
    errors: ['invalidParameter', 'worldNotFound', 'issuerAccountInvalid', 'issuerUnreachable'],
  }),
  createSigningKey: operation(`POST ${path}/signing-key`, ofWorld, {
    summary:
      'Get the public key that verifies signed calls to issuers; created on first use. An issuer that knows it can verify the very first call.',
    output: SigningKeyShape,
  }),
  restoreIssuer: operation(`POST ${path}/issuers/{issuer}/restore`, operatorOnly, {
    summary:
      'Restore a built-in issuer with its initial tokens and end its credentials. It completes the pending mints of the external issuer.',
    params: ofIssuer,
    body: record({ grace_seconds: grace() }).named('RestoredIssuer'),
    output: IssuerRecord,
    errors: ['invalidParameter', 'worldNotFound', 'issuerNotFound', 'issuerNotBuiltin'],
  }),
  changeIssuer: operation(`PATCH ${path}/issuers/{issuer}`, operatorOnly, {
    needsSim: true,
    summary: 'Change how a built-in issuer handles requests from now on.',
    params: ofIssuer,
    body: IssuerBehaviour,
    output: IssuerRecord,
    errors: ['invalidParameter', 'worldNotFound', 'issuerNotFound', 'issuerNotBuiltin'],
  }),
  refreshIssuer: operation(`POST ${path}/issuers/{issuer}/tokens`, operatorOnly, {
    summary: 'Get the tokens of an external issuer again.',
    params: ofIssuer,
    output: IssuerRecord,
    errors: ['worldNotFound', 'issuerNotFound', 'issuerHasNoAddress', 'issuerUnreachable'],
  }),
  listIssuerLinks: operation(`GET ${path}/links`, ofWorld, {
    summary: 'List links of accounts to issuers.',
    output: array(IssuerLink),
  }),
  createIssuerLink: operation(`POST ${path}/links`, ofWorld, {
    summary:
      'Link an account to an issuer: by e-mail address, by the id at the issuer, or by the account id.',
    body: record({
      account_id: uuid(),
      issuer: TokenizationIssuer,
      email: optional(
        text({ min: 3, max: 254, pattern: /^[^\s@]+@[^\s@]+$/, expected: 'an e-mail address' }),
      ).about('The issuer is asked to confirm the address.'),
      external_id: optional(address()).about('Id of the account at the issuer, if known.'),
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
  deleteIssuerLink: operation(`DELETE ${path}/links/{account_id}/{issuer}`, operatorOnly, {
    summary: 'Unlink an account. Pending requests still complete.',
    params: record({ ...worldParam, account_id: uuid(), issuer: TokenizationIssuer }),
    errors: ['worldNotFound', 'linkNotFound'],
  }),
}
