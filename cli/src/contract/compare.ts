import type { FieldValues } from './fields.ts'
import type { DocumentedOperation } from './open-api.ts'

/** A difference. `file` is the document that is compared, `quipu` the contract. */
export type ContractDifference = {
  readonly operation: string
  /** operation: it exists on one side only; field: so does the field; values: the enumerations differ. */
  readonly kind: 'operation' | 'field' | 'values'
  readonly field?: string
  readonly onlyIn?: 'file' | 'quipu'
  readonly valuesOnlyInFile?: readonly string[]
  readonly valuesOnlyInQuipu?: readonly string[]
}

type Operations = ReadonlyMap<string, DocumentedOperation>

export type ContractComparison = {
  /** Operations that both have. */
  readonly shared: number
  readonly differences: readonly ContractDifference[]
  /** Operations of Quipu below other paths than those of the file. */
  readonly others: number
}

/** Lists what differs: operations, then fields and enumerations of those that both have. */
export function compareContracts(file: Operations, quipu: Operations): ContractComparison {
  const roots = new Set([...file.keys()].map(rootOf))
  const related = [...quipu.values()].filter(({ key }) => roots.has(rootOf(key)))
  const shared = [...file.values()].filter(({ key }) => quipu.has(key))
  const missing = (operations: readonly DocumentedOperation[], other: Operations, onlyIn: 'file' | 'quipu') =>
    operations
      .filter(({ key }) => !other.has(key))
      .map(({ title }) => ({ operation: title, kind: 'operation', onlyIn }) as const)
  return {
    shared: shared.length,
    differences: [
      ...missing([...file.values()], quipu, 'file'),
      ...missing(related, file, 'quipu'),
      ...shared.flatMap((operation) => differencesOf(operation, quipu.get(operation.key)!)),
    ],
    others: quipu.size - related.length,
  }
}

/** `/v2/orders`, of `GET /v2/orders/{}` and `GET /v2/orders:by_client_order_id`. */
const rootOf = (key: string): string => /^\w+ ((?:\/[^/:]+){1,2})/.exec(key)?.[1] ?? key

function differencesOf(
  { title: operation, fields: theirs }: DocumentedOperation,
  { fields: ours }: DocumentedOperation,
): readonly ContractDifference[] {
  const absent = (from: typeof theirs, other: typeof theirs, onlyIn: 'file' | 'quipu') =>
    [...from.keys()]
      // A record that one side does not have is one difference, without its fields.
      .filter((field) => !other.has(field) && (parentOf(field) === undefined || other.has(parentOf(field)!)))
      .map((field) => ({ operation, kind: 'field', field, onlyIn }) as const)
  const values = [...theirs].flatMap(([field, wanted]): readonly ContractDifference[] => {
    const accepted = ours.get(field)
    const [valuesOnlyInFile, valuesOnlyInQuipu] = [without(wanted, accepted), without(accepted, wanted)]
    if (valuesOnlyInFile.length + valuesOnlyInQuipu.length === 0) return []
    return [{ operation, kind: 'values', field, valuesOnlyInFile, valuesOnlyInQuipu }]
  })
  return [...absent(theirs, ours, 'file'), ...absent(ours, theirs, 'quipu'), ...values]
}

/** A field without an enumeration accepts all values. */
const without = (values: FieldValues, others: FieldValues): readonly string[] =>
  values && others ? [...values].filter((value) => !others.has(value)) : []

/** `response legs.symbol` → `response legs`. */
function parentOf(field: string): string | undefined {
  const parent = field.replace(/[. ][^. ]+$/, '')
  return parent === field || /^(query|header)$/.test(parent) ? undefined : parent
}

/** A difference as a line. */
export function differenceLine({
  operation,
  kind,
  field,
  onlyIn,
  valuesOnlyInFile = [],
  valuesOnlyInQuipu = [],
}: ContractDifference): string {
  const side = onlyIn === 'file' ? 'only in the file' : 'only in Quipu'
  switch (kind) {
    case 'operation':
      return `${operation}: ${side}`
    case 'field':
      return `${operation}: ${field}: ${side}`
    case 'values':
      return `${operation}: ${field}: ${[
        ...(valuesOnlyInFile.length > 0 ? [`only in the file ${valuesOnlyInFile.join(', ')}`] : []),
        ...(valuesOnlyInQuipu.length > 0 ? [`only in Quipu ${valuesOnlyInQuipu.join(', ')}`] : []),
      ].join('; ')}`
    default:
      return kind satisfies never
  }
}
