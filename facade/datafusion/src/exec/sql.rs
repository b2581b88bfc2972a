//! The SQL table function `overlaps`.
//!
//! The engine finds the tables of a query before it plans the query, and takes an argument of a
//! function for a column. So the planner looks up the table in the catalogs of the session.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::catalog::CatalogProviderList;
use datafusion::common::{DFSchema, Result, ScalarValue, plan_err};
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::planner::{
    PlannedRelation, RelationPlanner, RelationPlannerContext, RelationPlanning,
};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion::sql::sqlparser::ast::{
    Expr as SqlExpr, FunctionArg, FunctionArgExpr, ObjectName, TableFactor,
};
use futures::FutureExt;

use super::{Columns, Options, PairTable};

/// Plans `overlaps(…)` in the `FROM` clause; see [`register`](super::register).
#[derive(Debug)]
pub(crate) struct OverlapsPlanner {
    pub(crate) catalogs: Arc<dyn CatalogProviderList>,
}

impl RelationPlanner for OverlapsPlanner {
    fn plan_relation(
        &self,
        mut relation: TableFactor,
        context: &mut dyn RelationPlannerContext,
    ) -> Result<RelationPlanning> {
        if let TableFactor::Table { name, args, alias, .. } = &mut relation
            && name.to_string().eq_ignore_ascii_case("overlaps")
            && let Some(arguments) = args.take()
        {
            let alias = alias.take();
            let plan = self.plan_call(arguments.args, &relation, context)?;
            return Ok(RelationPlanning::Planned(Box::new(PlannedRelation { plan, alias })));
        }
        Ok(RelationPlanning::Original(Box::new(relation)))
    }
}

impl OverlapsPlanner {
    /// Plans a call with these arguments; `table` is any table.
    fn plan_call(
        &self,
        arguments: Vec<FunctionArg>,
        table: &TableFactor,
        context: &mut dyn RelationPlannerContext,
    ) -> Result<LogicalPlan> {
        let mut inputs = Vec::new();
        let mut options = Options::new();
        for argument in arguments {
            match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(one)) => {
                    let plan = self.relation(one, table.clone(), context)?;
                    let columns = Columns::of(plan.schema())?;
                    inputs.push((plan, columns));
                }
                FunctionArg::Named { name, arg: FunctionArgExpr::Expr(value), .. }
                    if name.value.eq_ignore_ascii_case("within") =>
                {
                    options = options.within(number(value, context)?);
                }
                other => return plan_err!("overlaps: unknown argument {other}; {USAGE}"),
            }
        }
        if !(1..=2).contains(&inputs.len()) {
            return plan_err!("overlaps: {} tables were given; {USAGE}", inputs.len());
        }
        PairTable::scan_of(inputs, options)
    }

    /// Plans the table that an argument names, or a query in parentheses. `table` is any table.
    fn relation(
        &self,
        argument: SqlExpr,
        mut table: TableFactor,
        context: &mut dyn RelationPlannerContext,
    ) -> Result<LogicalPlan> {
        let found = match argument {
            SqlExpr::Identifier(name) => ObjectName::from(vec![name]),
            SqlExpr::CompoundIdentifier(names) => ObjectName::from(names),
            SqlExpr::Subquery(subquery) => {
                let (lateral, alias, sample) = (false, None, None);
                return context.plan(TableFactor::Derived { lateral, subquery, alias, sample });
            }
            other => return plan_err!("overlaps: {other} is not a table; {USAGE}"),
        };
        let text = found.to_string();
        let reference = context.object_name_to_table_reference(found.clone())?;
        if let TableFactor::Table { name, .. } = &mut table {
            *name = found;
        }
        // A name of a `WITH` clause, or a table that another part of the query names.
        let planned = context.plan(table);
        if planned.is_ok() {
            return planned;
        }
        let defaults = &context.context_provider().options().catalog;
        let found = reference.resolve(&defaults.default_catalog, &defaults.default_schema);
        let catalog = self.catalogs.catalog(&found.catalog);
        let Some(schema) = catalog.and_then(|catalog| catalog.schema(&found.schema)) else {
            return planned;
        };
        // A catalog in memory returns the table at once.
        let Some(table) = schema.table(&found.table).now_or_never() else {
            return plan_err!(
                "overlaps: the catalog is slow; use overlaps((SELECT * FROM {text}))"
            );
        };
        let Some(table) = table? else { return planned };
        let source = provider_as_source(table);
        LogicalPlanBuilder::scan(found.table.to_string(), source, None)?.build()
    }
}

const USAGE: &str = "use overlaps(table [, other table] [, within => distance])";

fn number(value: SqlExpr, context: &mut dyn RelationPlannerContext) -> Result<f64> {
    let text = value.to_string();
    let value = context.sql_to_expr(value, &DFSchema::empty())?;
    if let Expr::Literal(value, _) = &value
        && let ScalarValue::Float64(Some(value)) = value.cast_to(&DataType::Float64)?
    {
        return Ok(value);
    }
    plan_err!("overlaps: within is a number, not {text}")
}
