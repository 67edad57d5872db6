export { anything, array, either, lazy, list, map, nothing, unchecked } from './collections.ts'
export { decimal, decimalText, isAtLeastOne, isPositive, plainDecimal } from './decimal.ts'
export { bool, bytes, integer, isUuid, literal, number, oneOf, text, uuid } from './primitives.ts'
export {
  closedRecord,
  type Fields,
  openRecord,
  type RecordOf,
  type RecordShape,
  type Rule,
  record,
  type WireRecordOf,
} from './record.ts'
export {
  type AnyShape,
  clearable,
  lenient,
  type MessageText,
  namesIn,
  nullable,
  optional,
  type Problem,
  referable,
  type Schema,
  type Shape,
  strictlyOptional,
  type TypeOf,
  type WireOf,
  withDefault,
} from './shape.ts'
export {
  date,
  dateOrTimestamp,
  duration,
  durationOf,
  type MomentText,
  moment,
  momentOf,
  type SentTime,
  sentDate,
  timestamp,
  utcDay,
} from './time.ts'
