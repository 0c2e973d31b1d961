// Transport: UDP without shared memory, and no messages to oneself. See transport.h.
//
// Two ways lead to UDP. With the discovery ranges SUBNET and SYSTEM_DEFAULT, rmw_fastrtps leaves the transports to Fast
// DDS, and FASTDDS_BUILTIN_TRANSPORTS decides. With LOCALHOST it adds shared memory itself and nothing can take it away
// again; then the range becomes SYSTEM_DEFAULT, which lets Fast DDS decide everything, and a file of profiles says what
// LOCALHOST means: no multicast, and the participants of this machine as initial peers.
//
// The file also says that endpoints of this process are not matched with each other. Otherwise Fast DDS compares every
// new one with all that are there, which for 200 robots takes longer than all the rest of the start.

#include "ros/transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Room for the poses of 500 robots that arrive at once. The kernel lowers it to net.core.rmem_max.
#define SOCKET_BYTES "4194304"

#define PROFILE_BEGIN                            \
  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" \
  "<dds xmlns=\"http://www.eprosima.com\"><profiles>\n"
#define PARTICIPANT_BEGIN "  <participant profile_name=\"fleetweave\" is_default_profile=\"true\"><rtps>\n"
#define NO_MESSAGES_TO_ONESELF                                             \
  "    <propertiesPolicy><properties><property>\n"                         \
  "      <name>fastdds.ignore_local_endpoints</name><value>true</value>\n" \
  "    </property></properties></propertiesPolicy>\n"
#define PROFILE_END "  </rtps></participant>\n</profiles></dds>\n"

static const char PROFILE[] = PROFILE_BEGIN PARTICIPANT_BEGIN NO_MESSAGES_TO_ONESELF PROFILE_END;

static const char LOCAL_PROFILE[] = PROFILE_BEGIN
  "  <transport_descriptors><transport_descriptor>\n"
  "    <transport_id>udp</transport_id><type>UDPv4</type>\n"
  "    <sendBufferSize>" SOCKET_BYTES "</sendBufferSize><receiveBufferSize>" SOCKET_BYTES
  "</receiveBufferSize>\n"
  "    <maxInitialPeersRange>32</maxInitialPeersRange>\n"  // processes per machine and domain, as rmw_fastrtps has it
  "  </transport_descriptor></transport_descriptors>\n" PARTICIPANT_BEGIN
  "    <userTransports><transport_id>udp</transport_id></userTransports>\n"
  "    <useBuiltinTransports>false</useBuiltinTransports>\n"
  "    <builtin>\n"
  // One unicast locator, without a port of its own: otherwise Fast DDS would also listen to multicast.
  "      <metatrafficUnicastLocatorList><locator><udpv4/></locator></metatrafficUnicastLocatorList>\n"
  "      <initialPeersList><locator><udpv4><address>127.0.0.1</address></udpv4></locator></initialPeersList>\n"
  "    </builtin>\n" NO_MESSAGES_TO_ONESELF PROFILE_END;

static bool is_set(const char * variable)
{
  const char * value = getenv(variable);
  return value != NULL && value[0] != '\0';
}

static bool equals(const char * variable, const char * text)
{
  const char * value = getenv(variable);
  return value != NULL && strcmp(value, text) == 0;
}

static bool is_chosen_by_user(void)
{
  const char * middleware = getenv("RMW_IMPLEMENTATION");
  if (middleware != NULL && middleware[0] != '\0' && strstr(middleware, "fastrtps") == NULL) {
    return true;
  }
  return is_set("FASTDDS_BUILTIN_TRANSPORTS") || is_set("FASTRTPS_DEFAULT_PROFILES_FILE") ||
         is_set("FASTDDS_DEFAULT_PROFILES_FILE") || access("DEFAULT_FASTRTPS_PROFILES.xml", F_OK) == 0 ||
         access("DEFAULT_FASTDDS_PROFILES.xml", F_OK) == 0;
}

// Makes Fast DDS read `text`.
static bool use_profile(ros_transport_t * transport, const char * text)
{
  const char * folder = is_set("TMPDIR") ? getenv("TMPDIR") : "/tmp";
  const int length = snprintf(transport->profile, sizeof(transport->profile), "%s/fleetweave-transport-XXXXXX", folder);
  const bool fits = length > 0 && (size_t)length < sizeof(transport->profile);
  const int file = fits ? mkstemp(transport->profile) : -1;
  if (file < 0) {
    transport->profile[0] = '\0';
    return false;
  }
  const size_t size = strlen(text);
  const bool is_written = write(file, text, size) == (ssize_t)size;
  if (close(file) != 0 || !is_written) {
    ros_transport_fini(transport);
    return false;
  }
  (void)setenv("FASTRTPS_DEFAULT_PROFILES_FILE", transport->profile, 1);  // Fast DDS 2
  (void)setenv("FASTDDS_DEFAULT_PROFILES_FILE", transport->profile, 1);   // Fast DDS 3
  return true;
}

void ros_transport_init(ros_transport_t * transport)
{
  *transport = (ros_transport_t){0};
  if (is_chosen_by_user()) {
    return;
  }
  // Without a place for a file everything works too, but shared memory stays with LOCALHOST, and large fleets start
  // slowly: a node that talks is better than none.
  const bool is_local = equals("ROS_LOCALHOST_ONLY", "1") || equals("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST");
  if (!is_local || is_set("ROS_STATIC_PEERS")) {  // static peers are rmw_fastrtps's with LOCALHOST only
    (void)use_profile(transport, PROFILE);
  } else if (use_profile(transport, LOCAL_PROFILE)) {
    (void)setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "SYSTEM_DEFAULT", 1);
    (void)unsetenv("ROS_LOCALHOST_ONLY");
  }
  if (!is_local) {
    (void)setenv("FASTDDS_BUILTIN_TRANSPORTS", "UDPv4?sockets_size=" SOCKET_BYTES "B", 1);
  }
}

void ros_transport_fini(ros_transport_t * transport)
{
  if (transport->profile[0] != '\0') {
    (void)unlink(transport->profile);
    transport->profile[0] = '\0';
  }
}
