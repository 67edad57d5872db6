import { type BrokerEvent, format, formatInstant } from '@quipu/core'
import type { NumberedEvent } from '../../../wire/numbered-event.ts'
import type { StepCode } from './sentences.table.ts'
import { type Numbers, type Step, stepOf } from './step.ts'

type ExplainedEvent = Extract<
  BrokerEvent,
  {
    kind:
      | 'orderRejected'
      | 'orderCancelRequested'
      | 'orderCancelRejected'
      | 'orderReplaceRequested'
      | 'orderReplaceRejected'
      | 'orderDoneForDay'
      | 'orderResumed'
      | 'orderRequeued'
      | 'positionLiquidated'
  }
>

/** The step of an event that only venue settings cause. */
export function venueStep(numbered: NumberedEvent, event: ExplainedEvent): Step {
  const step = (code: StepCode, numbers: Numbers) => stepOf(numbered, code, numbers)
  switch (event.kind) {
    case 'orderRejected':
      return step('rejected', { why: event.why, ...drawNumbers(event) })
    case 'orderCancelRequested':
      return step('cancelRequested', { confirm_at: formatInstant(event.confirmAt) })
    case 'orderCancelRejected':
      return step('cancelRejected', drawNumbers(event))
    case 'orderReplaceRequested':
      return step('replaceRequested', { by: event.by, qty: event.quantity })
    case 'orderReplaceRejected':
      return step('replaceRejected', { by: event.by, why: event.why, ...drawNumbers(event) })
    case 'orderDoneForDay':
      return step('doneForDay', { resumes_at: event.resumesAt && formatInstant(event.resumesAt) })
    case 'orderResumed':
      return step('resumed', {})
    case 'orderRequeued':
      return step('requeued', {})
    case 'positionLiquidated': {
      const { value, equity, maintenanceMargin } = event
      return step('liquidation', { value, equity, maintenance_margin: maintenanceMargin })
    }
  }
}

type Drawn = { readonly draw?: number; readonly share?: number }

const drawNumbers = ({ draw, share }: Drawn): Numbers => ({
  draw: draw === undefined ? undefined : millionths(draw),
  share: share === undefined ? undefined : millionths(share),
})

const millionths = (value: number): string => format(BigInt(value) * 1000n)
