import { operation } from '../../operation.ts'
import { array, bool, oneOf, optional, record, text, timestamp } from '../../shape/index.ts'
import { operatorOnly } from './world-param.ts'

/** What `quipu doctor` checks, in the order in which it prints the results. */
export const checkNames = [
  'server',
  'address',
  'certificate',
  'clock',
  'disk',
  'files',
  'database',
  'role',
  'standby',
  'backup',
  'lag',
  'leases',
  'versions',
] as const

export const DoctorCheck = record({
  check: oneOf(...checkNames),
  ok: bool(),
  detail: text().about('What was found.'),
  fix: optional(text()).about('Command that mends it. Absent if ok is true.'),
}).named('DoctorCheck')

export const doctor = {
  getDoctor: operation('GET /sim/v1/doctor', operatorOnly, {
    summary:
      'Check the machine of the server, its database, backups and worlds. In a cluster the node that holds main answers.',
    output: record({
      version: text().about('Version of Quipu.'),
      at: timestamp().about('By the clock of the machine.'),
      public_url: optional(text()).about('QUIPU_PUBLIC_URL, if it is set.'),
      checks: array(DoctorCheck).about('A check may have several results.'),
    }).named('Doctor'),
  }),
}
