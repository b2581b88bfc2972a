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

use super::options::{Columns, Options};
use super::table::PairTable;

/// Plans `overlaps(…)` in the `FROM` clause; see [`register`](super::register).
#[derive(Debug)]
pub(crate) struct OverlapsPlanner {
    pub(crate) catalogs: Arc<dyn CatalogProviderList>,
}

impl RelationPlanner for OverlapsPlanner {
    fn plan_relation(
        &self,
        relation: TableFactor,
        context: &mut dyn RelationPlannerContext,
    ) -> Result<RelationPlanning> {
        match relation {
            TableFactor::Table { ref name, args: Some(ref args), ref alias, .. }
                if name.to_string().eq_ignore_ascii_case("overlaps") =>
            {
                let plan = self.plan_call(args.args.clone(), context)?;
                let planned = PlannedRelation { plan, alias: alias.clone() };
                Ok(RelationPlanning::Planned(Box::new(planned)))
            }
            other => Ok(RelationPlanning::Original(Box::new(other))),
        }
    }
}

impl OverlapsPlanner {
    /// Plans a call with these arguments.
    fn plan_call(
        &self,
        arguments: Vec<FunctionArg>,
        context: &mut dyn RelationPlannerContext,
    ) -> Result<LogicalPlan> {
        let mut inputs = Vec::new();
        let mut options = Options::new();
        for argument in arguments {
            match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(table)) => {
                    let plan = self.relation(table, context)?;
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
        PairTable::new(inputs, options)?.into_plan()
    }

    /// Plans the table that an argument names, or a query in parentheses.
    fn relation(
        &self,
        table: SqlExpr,
        context: &mut dyn RelationPlannerContext,
    ) -> Result<LogicalPlan> {
        let name = match table {
            SqlExpr::Identifier(name) => ObjectName::from(vec![name]),
            SqlExpr::CompoundIdentifier(names) => ObjectName::from(names),
            SqlExpr::Subquery(subquery) => {
                let (alias, sample) = (None, None);
                return context.plan(TableFactor::Derived {
                    lateral: false,
                    subquery,
                    alias,
                    sample,
                });
            }
            other => return plan_err!("overlaps: {other} is not a table; {USAGE}"),
        };
        let text = name.to_string();
        let reference = context.object_name_to_table_reference(name.clone())?;
        // A name of a `WITH` clause, or a table that another part of the query names.
        let planned = context.plan(table_factor(name));
        if planned.is_ok() {
            return planned;
        }
        let defaults = &context.context_provider().options().catalog;
        let found = reference.resolve(&defaults.default_catalog, &defaults.default_schema);
        let schema = self.catalogs.catalog(&found.catalog);
        let schema = schema.and_then(|catalog| catalog.schema(&found.schema));
        // A catalog in memory returns the table at once.
        let Some(schema) = schema else { return planned };
        match schema.table(&found.table).now_or_never() {
            Some(Ok(Some(table))) => {
                LogicalPlanBuilder::scan(found.table.to_string(), provider_as_source(table), None)?
                    .build()
            }
            Some(Err(error)) => Err(error),
            Some(Ok(None)) => planned,
            None => {
                plan_err!("overlaps: the catalog is slow; use overlaps((SELECT * FROM {text}))")
            }
        }
    }
}

const USAGE: &str = "use overlaps(table [, other table] [, within => distance])";

/// Returns a table of this name.
fn table_factor(name: ObjectName) -> TableFactor {
    TableFactor::Table {
        name,
        alias: None,
        args: None,
        with_hints: Vec::new(),
        version: None,
        with_ordinality: false,
        partitions: Vec::new(),
        json_path: None,
        sample: None,
        index_hints: Vec::new(),
    }
}

/// Returns the value of a constant.
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
