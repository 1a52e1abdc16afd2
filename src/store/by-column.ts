import {
  type BinaryOperationNode,
  type ColumnUpdateNode,
  type DeleteQueryNode,
  type InsertQueryNode,
  type LimitNode,
  type OperationNode,
  OperationNodeTransformer,
  type PrimitiveValueListNode,
  type QueryId,
  type RootOperationNode,
  type SelectionNode,
  type SelectQueryNode,
  type TupleNode,
  type UpdateQueryNode,
  type ValueListNode,
  type ValueNode,
  type ValuesNode,
} from 'kysely';
import type { AnyColumn } from './columns.ts';
import { type AnyTable, stored } from './table.ts';
import { tables } from './tables/index.ts';

/** How a query uses a parameter's column. */
type Use = 'write' | 'seek';

/** A query parameter, and the column that it is compared with or written to. A row limit has no column. */
export class Parameter {
  readonly value: unknown;
  readonly column: AnyColumn | undefined;
  readonly use: Use;
  constructor(value: unknown, column: AnyColumn | undefined, use: Use) {
    this.value = value;
    this.column = column;
    this.use = use;
  }
}

/** The tables of a query by alias. */
type Scope = ReadonlyMap<string, ReadonlyMap<string, AnyColumn>>;

const columnsOf = (table: AnyTable) => new Map(stored(table).map(({ name, column }) => [name, column]));

const byName = new Map<string, ReadonlyMap<string, AnyColumn>>(
  Object.values<AnyTable>(tables).map((table) => [table.name, columnsOf(table)]),
);

const textOf = (node: unknown): string => (node as { name: string }).name;

function scopeOf(froms: readonly (OperationNode | undefined)[]): Scope {
  const scope = new Map<string, ReadonlyMap<string, AnyColumn>>();
  for (const from of froms) {
    const { node = from, alias } = from as { node?: OperationNode; alias?: OperationNode };
    if (node?.kind !== 'TableNode') continue;
    const name = textOf((node as unknown as { table: { identifier: OperationNode } }).table.identifier);
    const columns = byName.get(name);
    if (columns === undefined) throw new Error(`no table ${name} in src/store/tables`);
    scope.set(alias === undefined ? name : textOf(alias), columns);
  }
  return scope;
}

const scopeOfSelect = ({ from, joins }: SelectQueryNode): Scope =>
  scopeOf([...(from?.froms ?? []), ...(joins ?? []).map((join) => join.table)]);

type Reference = {
  kind: string;
  column?: OperationNode & { column?: OperationNode };
  table?: { table: { identifier: OperationNode } };
};

/** The column that a node names; undefined for an expression. */
function columnOf(node: OperationNode, scopes: readonly Scope[]): AnyColumn | undefined {
  if (node.kind !== 'ReferenceNode' && node.kind !== 'ColumnNode') return undefined;
  const { kind, column, table } = node as unknown as Reference;
  if (column === undefined || column.kind === 'SelectAllNode') return undefined;
  const name = textOf(kind === 'ReferenceNode' ? column.column : column);
  const from = table && textOf(table.table.identifier);
  for (const scope of scopes.toReversed())
    for (const [alias, columns] of scope)
      if ((from === undefined || from === alias) && columns.has(name)) return columns.get(name);
  throw new Error(`no column ${from === undefined ? '' : `${from}.`}${name} in src/store/tables`);
}

/** Turns a value, or each value of a list, into a parameter of the column. */
function placed<N extends OperationNode>(node: N, column: AnyColumn | undefined, use: Use): N {
  const place = (value: unknown) => (value instanceof Parameter ? value : new Parameter(value, column, use));
  const { kind } = node;
  if (kind === 'ValueNode') {
    const { value, immediate } = node as unknown as ValueNode;
    return immediate ? node : { ...node, value: place(value) };
  }
  if (kind === 'PrimitiveValueListNode')
    return { ...node, values: (node as unknown as PrimitiveValueListNode).values.map(place) };
  if (kind === 'ValueListNode')
    return { ...node, values: (node as unknown as ValueListNode).values.map((value) => placed(value, column, use)) };
  return node;
}

/** Makes each value of a query a parameter of its column. */
class ByColumn extends OperationNodeTransformer {
  readonly #scopes: Scope[] = [];

  #within<T>(scope: Scope, work: () => T): T {
    this.#scopes.push(scope);
    try {
      return work();
    } finally {
      this.#scopes.pop();
    }
  }

  protected override transformSelectQuery(node: SelectQueryNode, id?: QueryId): SelectQueryNode {
    return this.#within(scopeOfSelect(node), () => super.transformSelectQuery(node, id));
  }

  protected override transformUpdateQuery(node: UpdateQueryNode, id?: QueryId): UpdateQueryNode {
    return this.#within(scopeOf([node.table]), () => super.transformUpdateQuery(node, id));
  }

  protected override transformDeleteQuery(node: DeleteQueryNode, id?: QueryId): DeleteQueryNode {
    return this.#within(scopeOf(node.from.froms), () => super.transformDeleteQuery(node, id));
  }

  protected override transformInsertQuery(node: InsertQueryNode, id?: QueryId): InsertQueryNode {
    return this.#within(scopeOf([node.into]), () => {
      const insert = super.transformInsertQuery(node, id);
      const columns = (insert.columns ?? []).map((column) => columnOf(column, this.#scopes));
      const rows = (insert.values as ValuesNode).values.map((row) =>
        row.kind === 'PrimitiveValueListNode'
          ? { ...row, values: row.values.map((value, i) => new Parameter(value, columns[i], 'write')) }
          : { ...row, values: (row as ValueListNode).values.map((value, i) => placed(value, columns[i], 'write')) },
      );
      return { ...insert, values: { ...insert.values, values: rows } as ValuesNode };
    });
  }

  protected override transformBinaryOperation(node: BinaryOperationNode, id?: QueryId): BinaryOperationNode {
    const operation = super.transformBinaryOperation(node, id);
    const { leftOperand: left, rightOperand: right } = operation;
    if (left.kind === 'TupleNode') {
      const columns = (left as unknown as TupleNode).values.map((one) => columnOf(one, this.#scopes));
      const values = (right as unknown as TupleNode).values.map((value, i) => placed(value, columns[i], 'seek'));
      return { ...operation, rightOperand: { ...right, values } as TupleNode };
    }
    const column = columnOf(operation.leftOperand, this.#scopes);
    return column === undefined ? operation : { ...operation, rightOperand: placed(operation.rightOperand, column, 'seek') };
  }

  protected override transformColumnUpdate(node: ColumnUpdateNode, id?: QueryId): ColumnUpdateNode {
    const update = super.transformColumnUpdate(node, id);
    return { ...update, value: placed(update.value, columnOf(update.column, this.#scopes), 'write') };
  }

  protected override transformLimit(node: LimitNode, id?: QueryId): LimitNode {
    return { ...node, limit: placed(super.transformLimit(node, id).limit, undefined, 'write') };
  }
}

export const byColumn = (query: RootOperationNode): RootOperationNode => new ByColumn().transformNode(query);

/** What a query returns, and its tables. */
function returned(query: RootOperationNode): [readonly SelectionNode[], Scope] {
  if (query.kind === 'SelectQueryNode') return [query.selections ?? [], scopeOfSelect(query)];
  if (query.kind === 'UpdateQueryNode') return [query.returning?.selections ?? [], scopeOf([query.table])];
  if (query.kind === 'DeleteQueryNode') return [query.returning?.selections ?? [], scopeOf(query.from.froms)];
  return [[], new Map()];
}

/** The selected columns by their names in the result rows. Expressions are left out. */
export function selected(query: RootOperationNode): Map<string, AnyColumn> {
  const columns = new Map<string, AnyColumn>();
  const [selections, scope] = returned(query);
  for (const { selection } of selections) {
    const { node = selection, alias } = selection as { node?: OperationNode; alias?: OperationNode };
    if (node.kind === 'SelectAllNode' || (node as unknown as Reference).column?.kind === 'SelectAllNode')
      throw new Error('a query names what it selects: .select(table.all)');
    const column = columnOf(node, [scope]);
    if (column === undefined) continue;
    const named = (node as unknown as Reference).column!;
    columns.set(textOf(alias ?? (node.kind === 'ReferenceNode' ? named.column : named)), column);
  }
  return columns;
}
