import type { ErrorName } from './errors.table.ts'
import type { Operation } from './operation.ts'

/** The declared errors of an operation and the errors that follow from its callers, body and method. */
export function errorsOf(declared: Operation): readonly ErrorName[] {
  const { family, who, scope, body, method } = declared
  const all: ErrorName[] = []
  if (!who.includes('anyone')) {
    all.push(
      family === 'tokenization' ? 'unauthorizedTokenization' : 'unauthorized',
      'tooManyRequests',
      'tooManyFailedAttempts',
    )
    if (who.includes('account') && family !== 'tokenization' && scope !== 'read' && scope !== 'never')
      all.push('insufficientScope')
    if (family !== 'broker' && (!who.includes('account') || scope === 'never')) all.push('forbidden')
  }
  if (body !== undefined && declared.bodyKind !== 'bytes') all.push(declared.undecodable ?? 'bodyNotJson')
  if (body !== undefined) all.push('bodyTooLarge')
  if (
    body !== undefined &&
    declared.bodySize !== 'large' &&
    (declared.bodyKind !== 'bytes' || declared.bodySize === 'run')
  )
    all.push('tooManyBodyBytes')
  all.push(...declared.errors)
  if (declared.errors.includes('eventStreamsFull')) all.push('tooManyEventStreams')
  if (family === 'data') all.push('upstreamUnavailable', 'dataUnreadable', 'readerStopped')
  if (method !== 'GET' && family !== 'system') all.push('queueFull', 'diskFull', 'notApplied')
  return [...new Set(all)]
}
