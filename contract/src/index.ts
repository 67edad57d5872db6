export {
  channelLines,
  type OperationLine,
  operationLines,
  orderKindLines,
  type Support,
  type ThingLine,
  unservedPaths,
} from './compatibility.ts'
export {
  asOAuthError,
  type ErrorBody,
  errorResponse,
  oauthErrorResponse,
  parameterError,
  problemResponse,
  type RefusalResponse,
  sentErrorResponse,
} from './error-responses.ts'
export {
  type ErrorName,
  type ErrorRow,
  errors,
  type OAuthErrorName,
  oauthErrors,
} from './errors.table.ts'
export { type Example, examples } from './examples/index.ts'
export { openApi } from './openapi.ts'
export {
  type Family,
  type Method,
  mayAudit,
  type Operation,
  type OperationScope,
  type OperationState,
  type Who,
} from './operation.ts'
export { errorsOf } from './operation-errors.ts'
export { tradingAccounts, tradingPartners } from './operations/broker/trading-accounts.ts'
export {
  type StockFeed,
  type Timeframe,
  type TimeframeUnit,
  timeframeOf,
} from './operations/data/market-parameters.ts'
export {
  SNAPSHOT_ACTIVITIES_MAX,
  SNAPSHOT_CHANGED_MAX,
  SNAPSHOT_EVENTS_MAX,
  SNAPSHOT_ORDERS_MAX,
  SNAPSHOT_SYMBOLS_MAX,
} from './operations/reading/account-snapshot.ts'
export { AuditEntryShape } from './operations/reading/audit-log.ts'
export { LedgerBalance } from './operations/reading/balances.ts'
export { DIFFERENCE_FILLS_MAX, DIFFERENCE_ORDERS_MAX } from './operations/reading/difference.ts'
export { LedgerLegShape } from './operations/reading/journal.ts'
export { CLI_AGENT } from './operations/reading/requests.ts'
export { checkNames } from './operations/sim/doctor.ts'
export {
  type EffectField,
  type FaultStatus,
  faultStatuses,
  type MatchField,
} from './operations/sim/fault-fields.ts'
export {
  type FaultEffectOf,
  type FaultEvent,
  type FaultKind,
  type FaultKindName,
  faultKinds,
} from './operations/sim/fault-kinds.table.ts'
export { completeEffect, faultEventOf } from './operations/sim/fault-rule.ts'
export { newMargin } from './operations/sim/margin.ts'
export { RUN_FORMAT, RunShape } from './operations/sim/runs/run-record.ts'
export type { ExpectedNumber } from './operations/sim/scenario-expectation.ts'
export { Scenario, scenarioActions, scenarioSchema } from './operations/sim/scenarios.ts'
export { newVenue } from './operations/sim/venue.ts'
export { ANY_SYMBOL } from './operations/sim/worlds.ts'
export { knownIssuers } from './operations/tokenization/tokenization.ts'
export { type ActivityType, activityTypes } from './operations/trading/activities.ts'
export {
  type OrderPrice,
  type OrderType,
  orderTypes,
  orderTypeWith,
  pricesOfType,
} from './operations/trading/order-types.ts'
export {
  type CallOf,
  type Handler,
  type Handlers,
  type InputOf,
  type OperationName,
  type Operations,
  type OutputOf,
  operationNamed,
  operations,
} from './operations.ts'
export { type Input, parseInput, type RawRequest, readQuery } from './parse.ts'
export type * from './records.ts'
export { type FieldRow, fieldRows } from './reference-fields.ts'
export { makeRouter, type Route, type Router, type Routing } from './router.ts'
export { type ClientRoute, routes } from './routes.ts'
export * from './shape/index.ts'
export * from './streams/index.ts'
