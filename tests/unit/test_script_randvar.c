/* Random and custom variables draw what the language says they do, by the numbers that come out. */
#include "base/rng.h"
#include "script_box.h"

#include <errno.h>
#include <math.h>

#define DRAWS 200000

struct drawn {
    double mean;
    double least;
    double most;
    double deviation;
};

/* Of the set "f", whose sizes are the variable. */
static struct drawn draw_many(struct script_box *b)
{
    const struct draw *draw = &grown_spec(b->script->set[0].grown)->size;
    struct drawn d = {.least = INFINITY, .most = -INFINITY};
    double squares = 0;
    struct rng rng;
    rng_seed(&rng, 42);
    for (unsigned i = 0; i < DRAWS; i++) {
        double x = (double)draw_count(draw, &rng);
        d.mean += x / DRAWS;
        squares += x * x / DRAWS;
        d.least = fmin(d.least, x);
        d.most = fmax(d.most, x);
    }
    d.deviation = sqrt(squares - d.mean * d.mean);
    return d;
}

static struct drawn drawn_of(const char *variable)
{
    struct script_box b;
    struct text text;
    script_box_init(&b);
    text_init(&text);
    text_addf(&text, "set $x=%s\ndefine fileset name=f,path=$dir,entries=1,size=$x,dirwidth=4\n",
              variable);
    text_add(&text, "create files\n");
    assert_int_equal(0, script_box_compile(&b, text.s));
    struct drawn d = draw_many(&b);
    text_fini(&text);
    script_box_fini(&b);
    return d;
}

static void near_to(double wanted, double got, double of)
{
    if (fabs(wanted - got) > of)
        fail_msg("%g was drawn, %g was expected, %g more or less", got, wanted, of);
}

static void uniform_reaches_as_far_above_the_mean_as_below(void **state)
{
    (void)state;
    struct drawn d = drawn_of("randvar(type=uniform,min=1000,mean=5000)");
    near_to(5000, d.mean, 30);
    near_to(1000, d.least, 5);
    near_to(9000, d.most, 5);
}

static void gamma_has_its_mean_above_its_least(void **state)
{
    (void)state;
    struct drawn d = drawn_of("randvar(min=1000,mean=5000,gamma=4000)");
    near_to(5000, d.mean, 30);
    assert_true(d.least >= 1000);
    near_to(4000 / sqrt(4), d.deviation, 30); /* of what lies above min: mean / √shape */
    d = drawn_of("randvar(gamma=30000)");
    near_to(29.5, d.mean, 0.1); /* its mean is gamma / 1000, truncated when it is drawn */
}

static void a_table_is_as_it_stands_when_min_is_its_own(void **state)
{
    (void)state;
    struct drawn d =
        drawn_of("randvar(type=tabular,min=1k,randtable={{80,1k,7k},{15,8k,63k},{05,64k,128k}})");
    near_to(1024 * (0.8 * 4 + 0.15 * 35.5 + 0.05 * 96), d.mean, 150);
    near_to(1024, d.least, 5);
    near_to(131072, d.most, 100);
}

static void a_table_is_stretched_to_the_mean_asked_for(void **state)
{
    (void)state;
    struct drawn d = drawn_of("randvar(randtable={{50,10,10},{50,30,30}},min=100,mean=500)");
    near_to(100, d.least, 0);
    near_to(900, d.most, 0);
    near_to(500, d.mean, 5);
    d = drawn_of("randvar(randtable={{0,5,5},{50,10,10},{50,30,30}},min=5)");
    near_to(10, d.least, 0); /* a row that is never drawn counts for what is least */
    near_to(30, d.most, 0);
    d = drawn_of("randvar(randtable={{100,7,7}},min=3,mean=50)");
    near_to(3, d.least, 0);
    near_to(3, d.most, 0);
}

static void rounding_is_to_the_nearest(void **state)
{
    (void)state;
    struct drawn d = drawn_of("randvar(type=uniform,min=1000,mean=1500,round=512)");
    near_to(1024, d.least, 0);
    near_to(2048, d.most, 0);
}

static void custom_variables_have_their_own_parameters(void **state)
{
    (void)state;
    struct drawn d = drawn_of("cvar(type=cvar-gamma,parameters=mean:16384;gamma:4)");
    near_to(16384, d.mean, 80);
    near_to(8192, d.deviation, 80);
    d = drawn_of("cvar(type=cvar-exponential,parameters=\"mean:5000\")");
    near_to(5000, d.mean, 60);
    d = drawn_of("cvar(type=cvar-erlang,parameters=shape:4;rate:1000)");
    near_to(4000, d.mean, 30); /* the parameter is called a rate, and is a mean */
    d = drawn_of("cvar(type=cvar-lognormal,parameters=scale:8;shape:0.5)");
    near_to(exp(8 + 0.125), d.mean, 30);
    d = drawn_of("cvar(type=cvar-normal,parameters=mean:100;sigma:1000)");
    near_to(0, d.least, 0); /* none is below 0 */
    d = drawn_of("cvar(type=cvar-triangular,parameters=lower:0;upper:900;mode:300)");
    near_to(400, d.mean, 3);
    d = drawn_of("cvar(type=cvar-uniform,parameters=lower:4096;upper:8192,min=5000,max=6000)");
    near_to(5000, d.least, 0);
    near_to(6000, d.most, 0);
    d = drawn_of("cvar(type=cvar-weibull,parameters=shape:1;scale:3000)");
    near_to(3000, d.mean, 40);
}

static void a_set_is_what_its_parameters_were_then(void **state)
{
    (void)state;
    struct script_box b;
    script_box_init(&b);
    assert_int_equal(
        0, script_box_compile(&b, "set $m=100\nset $x=randvar(type=uniform,mean=$m)\nset $m=900\n"
                                  "define fileset name=f,path=$dir,entries=1,size=$x,dirwidth=4\n"
                                  "create files\n"));
    near_to(99.5, draw_many(&b).mean, 1);
    assert_int_equal(
        0, script_box_compile(&b, "define randvar name=$x, type=uniform, mean=$m\nset $m=900\n"
                                  "define fileset name=f,path=$dir,entries=1,size=$x,dirwidth=4\n"
                                  "create files\n"));
    near_to(899.5, draw_many(&b).mean, 5);
    script_box_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_reaches_as_far_above_the_mean_as_below),
        cmocka_unit_test(gamma_has_its_mean_above_its_least),
        cmocka_unit_test(a_table_is_as_it_stands_when_min_is_its_own),
        cmocka_unit_test(a_table_is_stretched_to_the_mean_asked_for),
        cmocka_unit_test(rounding_is_to_the_nearest),
        cmocka_unit_test(custom_variables_have_their_own_parameters),
        cmocka_unit_test(a_set_is_what_its_parameters_were_then),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
