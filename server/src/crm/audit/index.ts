import type { Module } from '../../kernel/index.ts'
import { histories } from './history.ts'
import { listAudit } from './list-audit.ts'
import { showRequest } from './request.ts'

export const audit: Module = {
  operations: kinds => [listAudit(kinds)],
  cabinetOperations: kinds => [...histories(kinds), showRequest(kinds)],
}
