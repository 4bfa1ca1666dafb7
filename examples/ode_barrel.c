// ode_barrel.c: wrought-rt in somebody else's engine: a barrel falls on the ground and dents. ODE
// is not modified: it reports contact forces and gets triangles, mass and restitution back.
#include "barrel.h"
#include <ode/ode.h>
#include <stdio.h>

enum { CONTACTS = 32 };
static const float DT = 1.0f / 240.0f;
static dJointGroupID joints;
static dBodyID body;
static dGeomID geom;
static wr_metal *metal;
static wr_mass_properties mass; // as ODE knows it
static int contact_count;
static dContact contacts[CONTACTS];
static dJointFeedback forces[CONTACTS];

static wr_vec3 vector(const dReal *v)
{
    return wr_v3((float)v[0], (float)v[1], (float)v[2]);
}

static void collide(void *world, dGeomID a, dGeomID b)
{
    dContactGeom found[CONTACTS];
    int count = dCollide(a, b, CONTACTS - contact_count, found, sizeof found[0]);
    for (int i = 0; i < count; i++, contact_count++) {
        contacts[contact_count] = (dContact){{.mode = dContactBounce, .mu = 0.6}, found[i], {0}};
        contacts[contact_count].surface.bounce = wr_metal_restitution(metal); // less when it bends
        dJointID joint = dJointCreateContact(world, joints, &contacts[contact_count]);
        dJointAttach(joint, dGeomGetBody(found[i].g1), dGeomGetBody(found[i].g2));
        dJointSetFeedback(joint, &forces[contact_count]);
    }
}

// ODE wants the origin in the centre of mass: the geometry is shifted against the body, and when
// the centre moves in the barrel, the body moves along, so that the barrel stays where it is.
static void give_mass(void)
{
    wr_mass_properties m = wr_metal_mass(metal);
    dVector3 p;
    dBodyGetRelPointPos(body, m.center[0] - mass.center[0], m.center[1] - mass.center[1],
                        m.center[2] - mass.center[2], p);
    wr_vec3 v = vector(dBodyGetLinearVel(body)), w = vector(dBodyGetAngularVel(body));
    const dReal *q = dBodyGetQuaternion(body);
    wr_quat rotation = {(float)q[1], (float)q[2], (float)q[3], (float)q[0]}; // x y z w
    wr_metal_keep_momentum(&mass, &m, rotation, &v, &w);
    dBodySetPosition(body, p[0], p[1], p[2]);
    dBodySetLinearVel(body, v.x, v.y, v.z);
    dBodySetAngularVel(body, w.x, w.y, w.z);
    dGeomSetOffsetPosition(geom, -m.center[0], -m.center[1], -m.center[2]);
    dMass d;
    dMassSetParameters(&d, m.mass, 0, 0, 0, m.inertia[0][0], m.inertia[1][1], m.inertia[2][2],
                       m.inertia[0][1], m.inertia[0][2], m.inertia[1][2]);
    dBodySetMass(body, &d);
    mass = m;
}

static void step(dWorldID world, dSpaceID space)
{
    contact_count = 0;
    dSpaceCollide(space, world, collide);
    dWorldStep(world, DT);
    for (int i = 0; i < contact_count; i++) {
        const dReal *p = contacts[i].geom.pos, *f = forces[i].f1; // on the one body
        dVector3 point, force;
        dBodyGetPosRelPoint(body, p[0], p[1], p[2], point); // from the centre of mass
        dBodyVectorFromWorld(body, f[0], f[1], f[2], force);
        wr_metal_add_impulse(metal, wr_add(vector(point), vector(mass.center)),
                             wr_scale(DT, vector(force)));
    }
    dJointGroupEmpty(joints);
    wr_metal_step(metal, DT);
    if (wr_metal_changed(metal)) {
        dGeomTriMeshDataUpdate(dGeomTriMeshGetData(geom));
        give_mass();
    }
}

int main(void)
{
    wr_error error = {0};
    barrel *rig = barrel_create(8, 14, 0.76f); // a game loads it
    wr_metal_asset_desc asset_desc = wr_metal_asset_desc_default();
    asset_desc.rig = &rig->rig;
    wr_metal_desc desc = wr_metal_desc_default();
    desc.asset = wr_metal_asset_create(&asset_desc, &error);
    metal = desc.asset ? wr_metal_create(&desc, &error) : NULL;
    if (!metal) {
        fprintf(stderr, "ode_barrel: %s\n", error.message);
        return 1;
    }
    dInitODE();
    dWorldID world = dWorldCreate();
    dSpaceID space = dSimpleSpaceCreate(NULL);
    dWorldSetGravity(world, 0, -9.81, 0);
    dCreatePlane(space, 0, 1, 0, 0);
    joints = dJointGroupCreate(0);
    body = dBodyCreate(world);
    dTriMeshDataID data = dGeomTriMeshDataCreate();
    int count;
    const int *triangles = wr_metal_asset_triangles(desc.asset, &count);
    dGeomTriMeshDataBuildSingle(data, wr_metal_positions(metal), sizeof(wr_vec3),
                                rig->rig.vertex_count, triangles, 3 * count, 3 * sizeof(int));
    geom = dCreateTriMesh(space, data, NULL, NULL, NULL);
    dGeomSetBody(geom, body);
    dBodySetPosition(body, 0, 3, 0);
    dBodySetAngularVel(body, 0.3, 0.1, -2.6);
    mass = wr_metal_mass(metal);
    give_mass();
    for (int i = 0; i < 960; i++) {
        step(world, space);
    }
    printf("%.1f kg, %zu bytes of damage\n", mass.mass, wr_metal_write_damage(metal, NULL));
    dCloseODE();
    wr_metal_destroy(metal);
    wr_metal_asset_destroy(desc.asset);
    barrel_destroy(rig);
}
