export { decimal, decimalText, isAtLeastOne, isPositive, plainDecimal } from './decimal.ts'
export { anything, array, either, later, list, map, nothing, unchecked } from './many.ts'
export { openRecord } from './open-record.ts'
export {
  type Fields,
  type GivenRecordOf,
  type RecordOf,
  type RecordShape,
  type Rule,
  record,
} from './record.ts'
export {
  type AnyShape,
  clearable,
  forgiving,
  type GivenOf,
  nullable,
  optional,
  type Problem,
  referable,
  type Saying,
  type Schema,
  type Shape,
  strictlyOptional,
  type TypeOf,
  withDefault,
} from './shape.ts'
export { date, dayNamed, duration, type Moment, moment, momentOf, timestamp } from './time.ts'
export { bool, integer, isUuid, number, oneOf, only, text, uuid } from './words.ts'
