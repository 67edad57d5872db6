import type { DoctorCheckRecord } from '@quipu/contract'

/** The result of one check. */
export type Check = DoctorCheckRecord
export type CheckName = Check['check']

export const fine = (check: CheckName, detail: string): Check => ({ check, ok: true, detail })

/** A problem, with the command that mends it. */
export const finding = (check: CheckName, detail: string, fix: string): Check => ({
  check,
  ok: false,
  detail,
  fix,
})

/** The findings of a check, or one line that all is well. */
export const findingsOr = (findings: readonly Check[], ok: Check): readonly Check[] =>
  findings.length > 0 ? findings : [ok]
