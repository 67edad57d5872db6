import type { Named } from './shape/shape.ts'

/**
 * Text fields of requests that have the same kind in every operation. The core names the same kinds, so the server need
 * not convert a parsed field.
 */
type FieldKinds = {
  account_id: 'AccountId'
  from_account: 'AccountId'
  to_account: 'AccountId'
  partner_id: 'PartnerId'
  developer: 'UserId'
  key_id: 'KeyId'
  secret_id: 'SecretId'
  grant_id: 'GrantId'
  order_id: 'OrderId'
  before_order_id: 'OrderId'
  after_order_id: 'OrderId'
  client_order_id: 'ClientOrderId'
  action_id: 'ActionId'
  tokenization_request_id: 'RequestId'
  issuer: 'IssuerCode'
  symbol: 'Ticker'
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
}

type OfKind<Value, Kind extends string> = Value extends string ? Named<Value, Kind> : Value

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
