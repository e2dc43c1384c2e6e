"""A shop in PostgreSQL: what customers have spent."""

import datetime
import decimal
import os
import uuid
from collections.abc import Iterator

import psycopg

from shop.queries import CustomersRow, OrdersKey, OrdersRow, Queries

UTC = datetime.timezone.utc


def order_id(n: int) -> uuid.UUID:
    return uuid.UUID(int=n)


def orders(count: int) -> Iterator[OrdersRow]:
    """Rows are taken one at a time: an iterator of any length fits in memory."""
    for n in range(count):
        yield OrdersRow(
            order_id(n),
            1 + n % 2,
            decimal.Decimal(n) / 100,
            datetime.datetime(2026, 5, 1, 8, tzinfo=UTC),
        )


def main() -> None:
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        print("migrations", Queries.apply_migrations(connection))
        queries = Queries(connection)
        customers = [
            CustomersRow(1, "Ada", '{"city": "London"}'),
            CustomersRow(2, "Grace", None),
            CustomersRow(3, "Zoe", None),
        ]
        print("customers", queries.insert_all_customers(customers))
        print("orders", queries.insert_all_orders(orders(20_000)))
        for customer in (1, 2, 3, 4):
            print(queries.spent(customer))
        print([c.name for c in queries.find_customers("%ra%")])
        for big in queries.big_orders(decimal.Decimal("199.98")):
            print(big.total, big.ordered_at.astimezone(UTC).isoformat(), big.name)
        print(
            "upserted",
            queries.upsert_all_customers(
                [CustomersRow(3, "Zoë", None), CustomersRow(4, "Alan", None)]
            ),
        )
        try:
            with queries.transaction():
                print(
                    "deleted",
                    queries.delete_all_orders(OrdersKey(order_id(n)) for n in range(10_000)),
                )
                raise RuntimeError("changed my mind")
        except RuntimeError as error:
            print(error, queries.spent(1))


main()
