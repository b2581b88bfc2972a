//! The SQL table function `overlaps`.

use datafusion::common::{DFSchema, Result, ScalarValue, plan_err};
use datafusion::logical_expr::planner::{
    PlannedRelation, RelationPlanner, RelationPlannerContext, RelationPlanning,
};
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::sql::sqlparser::ast::{
    Expr as SqlExpr, FunctionArg, FunctionArgExpr, ObjectName, TableFactor,
};

use arrow::datatypes::DataType;

use super::options::{Columns, Options};
use super::table::PairTable;

/// Plans `overlaps(…)` in the `FROM` clause; see [`register`](super::register).
#[derive(Debug, Default)]
pub(crate) struct OverlapsPlanner;

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
                let plan = plan_call(args.args.clone(), context)?;
                let planned = PlannedRelation { plan, alias: alias.clone() };
                Ok(RelationPlanning::Planned(Box::new(planned)))
            }
            other => Ok(RelationPlanning::Original(Box::new(other))),
        }
    }
}

/// Plans a call with these arguments.
fn plan_call(
    arguments: Vec<FunctionArg>,
    context: &mut dyn RelationPlannerContext,
) -> Result<LogicalPlan> {
    let mut inputs = Vec::new();
    let mut options = Options::new();
    for argument in arguments {
        match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(table)) => {
                let plan = context.plan(relation(table)?)?;
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

const USAGE: &str = "use overlaps(table [, other table] [, within => distance])";

/// Returns the relation that an argument names: a table, or a query in parentheses.
fn relation(table: SqlExpr) -> Result<TableFactor> {
    let name = match table {
        SqlExpr::Identifier(name) => ObjectName::from(vec![name]),
        SqlExpr::CompoundIdentifier(names) => ObjectName::from(names),
        SqlExpr::Subquery(subquery) => {
            return Ok(TableFactor::Derived {
                lateral: false,
                subquery,
                alias: None,
                sample: None,
            });
        }
        other => return plan_err!("overlaps: {other} is not a table; {USAGE}"),
    };
    Ok(TableFactor::Table {
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
    })
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
