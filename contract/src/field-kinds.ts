import type { Named } from './shape/shape.ts'

/**
 * Text fields of requests, and lists of texts, that have the same kind in every operation. The core names the same kinds, so the server need
 * not convert a parsed field.
 */
type FieldKinds = {
  world: 'WorldId'
  follows: 'WorldId'
  account_id: 'AccountId'
  account_ids: 'AccountId'
  client_account_id: 'AccountId'
  from_account: 'AccountId'
  to_account: 'AccountId'
  partner_id: 'PartnerId'
  partners: 'PartnerId'
  user_id: 'UserId'
  developer: 'UserId'
  key_id: 'KeyId'
  secret_id: 'SecretId'
  grant_id: 'GrantId'
  watchlist_id: 'WatchlistId'
  order_id: 'OrderId'
  before_order_id: 'OrderId'
  after_order_id: 'OrderId'
  client_order_id: 'ClientOrderId'
  action_id: 'ActionId'
  tokenization_request_id: 'RequestId'
  issuer: 'IssuerCode'
  symbol: 'Ticker'
  symbols: 'Ticker'
  new_symbol: 'Ticker'
  underlying_symbol: 'Ticker'
  underlyingSymbol: 'Ticker'
  ex_date: 'CivilDate'
  record_date: 'CivilDate'
  payable_date: 'CivilDate'
  date_start: 'CivilDate'
  start: 'CivilDate'
  end: 'CivilDate'
  date_end: 'CivilDate'
  on: 'CivilDate'
  from: 'CivilDate'
  before: 'CivilDate'
}

/** A field with fixed words, such as the `on` of a fault, has no kind. */
type OfKind<Value, Kind extends string> = Value extends string
  ? string extends Value
    ? Named<Value, Kind>
    : Value
  : Value extends readonly (infer Item)[]
    ? readonly OfKind<Item, Kind>[]
    : WithKinds<Value>

/** Parsed fields with their kinds. */
export type WithKinds<Value> = Value extends Plain
  ? Value
  : Value extends readonly (infer Item)[]
    ? readonly WithKinds<Item>[]
    : Value extends object
      ? {
          readonly [Name in keyof Value]: Name extends keyof FieldKinds
            ? OfKind<Value[Name], FieldKinds[Name]>
            : WithKinds<Value[Name]>
        }
      : Value

type Plain = string | number | bigint | boolean | Uint8Array | null | undefined
