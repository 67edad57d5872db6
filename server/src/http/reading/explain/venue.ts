import { format, formatInstant } from '@quipu/core'
import type { NumberedEvent } from '../../../wire/numbered-event.ts'
import { type Numbers, type Step, stepOf } from './step.ts'

/** The step of an event that only venue settings cause. */
export function venueStep(numbered: NumberedEvent): Step | undefined {
  const { event } = numbered
  const step = (code: string, numbers: Numbers, text: string) => stepOf(numbered, code, numbers, text)
  switch (event.kind) {
    case 'orderRejected':
      return event.why === 'market'
        ? step('rejected', drawNumbers(event), `The market rejected it: ${drawText(event)}.`)
        : step('rejected', {}, 'Rejected, because the order that it was to replace was not replaced.')
    case 'orderCancelRequested': {
      const confirmAt = formatInstant(event.confirmAt)
      const text = `Its owner asked for a cancel; the market decides at ${confirmAt}, and it can fill until then.`
      return step('cancelRequested', { confirm_at: confirmAt }, text)
    }
    case 'orderCancelRejected':
      return step('cancelRejected', drawNumbers(event), `The market rejected the cancel: ${drawText(event)}.`)
    case 'orderReplaceRequested': {
      const text = `Its owner asked for a replacement by ${event.by}; it can fill until the market decides.`
      return step('replaceRequested', { by: event.by, qty: event.quantity }, text)
    }
    case 'orderReplaceRejected': {
      const numbers = { by: event.by, ...drawNumbers(event) }
      return event.why === 'market'
        ? step('replaceRejected', numbers, `The market rejected the replacement: ${drawText(event)}.`)
        : step('replaceRejected', numbers, 'It was not replaced, because one of the two orders ended before.')
    }
    case 'orderDoneForDay': {
      const resumesAt = event.resumesAt && formatInstant(event.resumesAt)
      const then = resumesAt ? `it works again at ${resumesAt}` : 'it expires with its session'
      return step('doneForDay', { resumes_at: resumesAt }, `The market stopped working it; ${then}.`)
    }
    case 'orderResumed':
      return step('resumed', {}, 'Its next session began: the market works it again.')
    case 'orderRequeued':
      return step('requeued', {}, 'Its rest after a partial fill is over: it can fill again.')
    case 'positionLiquidated': {
      const { value, equity, maintenanceMargin } = event
      const numbers = { value, equity, maintenance_margin: maintenanceMargin }
      const text = `The broker placed it, because a margin call was not met: the equity ${format(equity)} is below the maintenance margin ${format(maintenanceMargin)}.`
      return step('liquidation', numbers, text)
    }
    default:
      return undefined
  }
}

type Drawn = { readonly draw?: number; readonly share?: number }

const drawNumbers = ({ draw, share }: Drawn): Numbers => ({
  draw: draw === undefined ? undefined : millionths(draw),
  share: share === undefined ? undefined : millionths(share),
})

const drawText = ({ draw = 0, share = 0 }: Drawn): string =>
  `the seeded draw ${millionths(draw)} is below the share ${millionths(share)}`

const millionths = (value: number): string => format(BigInt(value) * 1000n)
