import type { JSX } from 'preact'
import { problemText } from '../format/problem-text.ts'
import type { Reading } from '../live/reading.ts'
import { Icon } from './icon.tsx'
import { Failed, Loading } from './states.tsx'

type ShownProps<Value> = {
  readonly of: Reading<Value>
  /** What is read, such as "the keys". */
  readonly what: string
  readonly rows?: number
  readonly children: (value: Value) => JSX.Element
}

/** A reading with its states: loading, failed, and stale when a later read failed. */
export function Shown<Value>({ of, what, rows, children }: ShownProps<Value>): JSX.Element {
  const [value, problem] = [of.value.value, of.problem.value]
  if (value === undefined)
    return problem ? (
      <Failed what={what} error={problem} retry={() => void of.read()} />
    ) : (
      <Loading {...(rows !== undefined && { rows })} />
    )
  return (
    <>
      {problem && (
        <p class="not-current of-warn small" role="status">
          <Icon name="warning" />
          <span title={problem.message}>Not current. {problemText(problem)}</span>
          <button type="button" class="link" onClick={() => void of.read()}>
            Try now
          </button>
        </p>
      )}
      {children(value)}
    </>
  )
}
