import { testPart } from './random-faults.ts'

testPart(8)
